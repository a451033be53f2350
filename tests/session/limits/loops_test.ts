import { assert, assertEquals } from "@std/assert";
import { resume, run } from "../../../mod.ts";
import { readLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, now, requestOf, type Said, storeOf, wordExecutor } from "../world.ts";

type Budget = NonNullable<NonNullable<Parameters<typeof requestOf>[0]>["budget"]>;

/** Runs a script, and resumes it from each of its entries: why and after how many steps it ends, each time the same. */
async function endOf(
  script: readonly Said[],
  budget: Budget,
  spec: Omit<NonNullable<Parameters<typeof requestOf>[0]>, "budget"> = {},
): Promise<string> {
  const store = memoryStore();
  const options = {
    now,
    approveAction: {
      id: "me",
      decide: ({ action }: { action: unknown }) =>
        JSON.stringify(action).includes("denied")
          ? { allow: false } as const
          : { allow: true } as const,
    },
  };
  const protocol = spec.toolProtocol ?? "text";
  const request = () => requestOf({ budget, modelReplayPolicy: "replayable", ...spec });
  const { stopReason, steps } = await run(agentOf(script, { store, protocol }), request(), options);
  const lines = (await store.readRun("r"))!;
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  for (let length = 1; length < lines.length; length++) {
    if (readLog(lines.slice(0, length)).open?.openAction !== undefined) continue;
    const prefix = await storeOf(lines.slice(0, length));
    const resumed = await resume(agentOf(script, { store: prefix, protocol }), request(), options);
    assertEquals([resumed.stopReason, resumed.steps.length], [stopReason, steps.length]);
  }
  return `${stopReason} ${steps.length}`;
}

const words = (text: string): readonly Said[] => text.split(" ").map((word) => `do ${word}`);

/** Actions, the limit of cycles, and how the run ends; it answers where nothing stops it. */
const CYCLES: readonly (readonly [string, number, string])[] = [
  ["a b a b a b a b", 3, "repeated_action 6"],
  ["a b a b a b a b", 2, "repeated_action 4"],
  ["a b a b a c a b", 3, "final_answer 9"],
  ["a b c a b c a b c", 2, "repeated_action 6"],
  ["a b c a b c a b c", 3, "repeated_action 9"],
  ["x y a b a b a b a", 3, "repeated_action 8"],
  ["x a b c a b c", 2, "repeated_action 7"],
  ["a b c d a b c d", 2, "final_answer 9"],
  ["a a a a a a a", 3, "repeated_action 6"],
  ["a b b a b b", 2, "repeated_action 6"],
];

for (const [text, maxRepeatedCycle, end] of CYCLES) {
  Deno.test(`maxRepeatedCycle ${maxRepeatedCycle}: ${text} ends as ${end}`, async () => {
    assertEquals(await endOf(words(text), { maxRepeatedCycle }), end);
    const length = words(text).length + 1;
    assertEquals(await endOf(words(text), {}), `final_answer ${length}`);
  });
}

Deno.test("maxRepeatedCycle looks at actions alone, and a step without one ends the cycle", async () => {
  const limit = { maxRepeatedCycle: 2 };
  const fails = ["do fail", "do b", "do fail", "do b"];
  assertEquals(await endOf(fails, limit), "repeated_action 4");
  const interrupted = ["do a", "do b", "hm", "do a", "do b", "hm"];
  assertEquals(await endOf(interrupted, limit), "final_answer 7");
  const apart = ["do a", "hm", "do a", "hm", "do a"];
  assertEquals(await endOf(apart, limit), "final_answer 6");
  const several = ["do a; do b", "do a", "do a; do b", "do a"];
  assertEquals(await endOf(several, limit, { toolProtocol: "native" }), "repeated_action 4");
  assertEquals(
    await endOf(words("a b a b"), { ...limit, maxIdenticalActions: 2 }),
    "repeated_action 4",
  );
  assertEquals(
    await endOf(words("a a"), { ...limit, maxIdenticalActions: 2 }),
    "repeated_action 2",
  );
});

/** Replies, and how a run ends that may have two steps of refused actions in a row. */
const REJECTIONS: readonly (readonly [readonly string[], string])[] = [
  [["do reject a", "do refuse b", "do c"], "rejected_actions 2"],
  [["do reject a", "do b", "do reject c", "do reject d"], "rejected_actions 4"],
  [["do reject a", "do fail", "do reject c"], "final_answer 4"],
  [["do denied", "do denied", "do denied"], "final_answer 4"],
  [["do reject a", "do denied", "do reject b"], "final_answer 4"],
  [["do reject a", "hm", "do reject b"], "final_answer 4"],
  [["do reject a; do b", "do reject c; do d"], "final_answer 3"],
  [["do reject a; do reject b", "do reject c"], "rejected_actions 2"],
  [["do reject a; do denied", "do reject c; do denied"], "final_answer 3"],
];

for (const [script, end] of REJECTIONS) {
  Deno.test(`maxRejectedActions 2: ${script.join(", ")} ends as ${end}`, async () => {
    const native = { toolProtocol: "native", executor: wordExecutor() } as const;
    assertEquals(await endOf(script, { maxRejectedActions: 2 }, native), end);
    assertEquals(await endOf(script, {}, native), `final_answer ${script.length + 1}`);
  });
}
