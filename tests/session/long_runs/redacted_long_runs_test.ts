import { assert, assertEquals, assertThrows } from "@std/assert";
import { InvalidRequestError, run } from "../../../mod.ts";
import { readLog, rebuildCall, redactLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, EXECUTED, now, requestOf, wordExecutor } from "../world.ts";
import { longModel, POLICY } from "./long_world.ts";

const SECRET = "sk-12345678";
const RULES = { patterns: [/sk-\d+/] };

/** The log of a run whose calls, results, notices and summaries hold a secret. */
async function secretLog(protocol: "text" | "native", summary: string): Promise<readonly string[]> {
  const store = memoryStore();
  const executor = wordExecutor((word) =>
    Promise.resolve({ ...EXECUTED, observation: `${word} ${SECRET} ${"x".repeat(100)}` })
  );
  const stages = POLICY.stages.map((stage) => ({ ...stage, notice: `${stage.notice} ${SECRET}` }));
  const contextPolicy = { ...POLICY, stages };
  const model = longModel(
    (step) => ({ text: step >= 20 ? "answer 1" : `do open ${SECRET} ${step}` }),
    () => ({ text: summary }),
  );
  const request = requestOf({ toolProtocol: protocol, contextPolicy, executor });
  await run(agentOf(model, { protocol, store }), request, { now });
  return (await store.readRun("r"))!;
}

for (const protocol of ["text", "native"] as const) {
  Deno.test(`a redacted log hides what edits and summaries hold, and still shows each prompt (${protocol})`, async () => {
    const lines = await secretLog(protocol, `the key is ${SECRET}`);
    const log = readLog(lines);
    const hidden = redactLog(lines, RULES);
    assertEquals(hidden.join("\n").includes(SECRET), false);
    assertEquals(verifyLog(hidden).ok, true);
    const redacted = readLog(hidden);
    assert(log.calls.some(({ purpose }) => purpose === "summary"));
    for (const [i, { callId }] of log.calls.entries()) {
      const [before, after] = [rebuildCall(log, i), rebuildCall(redacted, i)];
      const roles = ({ messages }: typeof before) => messages.map(({ role }) => role);
      const places = ({ edited }: typeof before) =>
        edited.map(({ message, stage, steps }) => ({ message, stage, steps }));
      assertEquals([roles(after), places(after)], [roles(before), places(before)], callId);
      const shown = JSON.stringify(before.messages).replaceAll(SECRET, "…");
      const marked = /\[redacted: 11 code points, sha256:[0-9a-f]{64}\]/g;
      const fence = /(steps: )[0-9a-f]+/g;
      assertEquals(
        JSON.stringify(after.messages).replaceAll(marked, "…").replaceAll(fence, "$1"),
        shown.replaceAll(fence, "$1"),
        callId,
      );
    }
  });
}

Deno.test("a redacted log says of a summary that failed that nobody can tell what was to be summed up", async () => {
  const log = readLog(redactLog(await secretLog("text", " "), RULES));
  const failed = log.calls.findIndex(({ purpose }) => purpose === "summary");
  assertThrows(() => rebuildCall(log, failed), InvalidRequestError, "redacted");
  assert(rebuildCall(log, failed + 1).messages.length > 0);
});
