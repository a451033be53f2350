import { assert, assertEquals } from "@std/assert";
import { type ModelReply, run, type Usage } from "../../../mod.ts";
import { verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, hearing, now, requestOf } from "../world.ts";

const reply = (text: string, usage?: Usage): ModelReply => ({ text, ...(usage && { usage }) });
const KNOWN = { inputTokens: 5, outputTokens: 1 };

/** What a reply may say of its tokens, and whether that is nothing. */
const USAGES: readonly (readonly [Usage | undefined, boolean])[] = [
  [undefined, true],
  [{}, true],
  [{ inputTokens: 0, outputTokens: 0 }, true],
  [{ inputTokens: 0, cachedInputTokens: 3 }, true],
  [{ inputTokens: 5 }, false],
  [{ outputTokens: 5 }, false],
  [{ inputTokens: 0, outputTokens: 5 }, false],
];

for (const [usage, isUnknown] of USAGES) {
  Deno.test(`a reply with the usage ${JSON.stringify(usage)} ${isUnknown ? "does not tell" : "tells"} its tokens`, async () => {
    for (const onUnknownUsage of ["ignore", "stop"] as const) {
      const store = memoryStore();
      const events = hearing();
      const script = [reply("do a", KNOWN), reply("do b", usage), reply("do c", usage)];
      const agent = agentOf([...script, reply("answer 1", KNOWN)], { store, events });
      const request = requestOf({ budget: { maxTotalTokens: 100 }, onUnknownUsage });
      const { stopReason, steps } = await run(agent, request, { now });
      const stops = isUnknown && onUnknownUsage === "stop";
      assertEquals(
        [stopReason, steps.length],
        stops ? ["token_budget_exhausted", 2] : ["final_answer", 4],
      );
      const told = events.heard.filter((event) => event.type === "usage_unknown");
      assertEquals(told.map(({ callId }) => callId), isUnknown ? ["r/s1"] : []);
      const verdict = verifyLog((await store.readRun("r"))!);
      assert(verdict.ok, verdict.fault?.message);
    }
  });
}

Deno.test("nobody is told of a reply without usage where no limit counts tokens", async () => {
  const events = hearing();
  await run(agentOf(["answer 1"], { events }), requestOf(), { now });
  assertEquals(events.heard.filter(({ type }) => type === "usage_unknown"), []);
});
