import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { run, type RunOptions } from "../../../mod.ts";
import {
  agentOf,
  type EXECUTED,
  hearing,
  never,
  now,
  requestOf,
  type Said,
  wordExecutor,
} from "../world.ts";
import { suspending, untilTold } from "./suspending.ts";

Deno.test("run_suspended says why and what the run waits for, on every way out", async () => {
  const heard = async (
    script: readonly Said[],
    options: RunOptions,
    spec: Parameters<typeof requestOf>[0] = {},
  ) => {
    const events = hearing();
    const error = await run(
      agentOf(script, { events }),
      requestOf({ cancelGraceMs: 1, ...spec }),
      { now, ...options },
    ).catch((error) => error);
    const last = events.heard.at(-1);
    assert(last?.type === "run_suspended");
    return { why: last.why, error: last.error?.message, waitsFor: last.waitsFor, thrown: error };
  };
  const aborted = { signal: AbortSignal.abort("enough"), onAbort: "suspend" } as const;
  const between = await heard([], aborted);
  assertEquals([between.why, between.waitsFor], ["abort", { kind: "next_step" }]);

  const inCall = suspending();
  const call = await heard([({ signal }) => (inCall.abort(), untilTold(signal))], inCall.options);
  assertEquals([call.why, call.waitsFor], ["abort", { kind: "reply" }]);

  const down = await heard([new RangeError("down")], { onModelFailure: "suspend" });
  assertEquals([down.why, down.error, down.waitsFor], [
    "model_call_failed",
    "down",
    { kind: "reply" },
  ]);

  const asking = suspending();
  const approveAction = {
    id: "me",
    decide: ({ signal }: { signal: AbortSignal }) => (asking.abort(), untilTold(signal)),
  };
  const approval = await heard(["do a"], { ...asking.options, approveAction });
  assertEquals(approval.waitsFor, { kind: "approval", actionId: "r/s0_a0" });

  const acting = suspending();
  const executor = { ...wordExecutor(), execute: () => (acting.abort(), never<typeof EXECUTED>()) };
  const action = await heard(["do a"], acting.options, { executor });
  assertEquals(action.waitsFor, { kind: "action_result", actionId: "r/s0_a0" });

  const decide = () => Promise.reject(new RangeError("nobody is there"));
  const thrown = await heard(["do a"], { approveAction: { id: "me", decide } });
  assertEquals([thrown.why, thrown.error, thrown.waitsFor], [
    "error",
    "nobody is there",
    { kind: "approval", actionId: "r/s0_a0" },
  ]);
  assertInstanceOf(thrown.thrown, RangeError);
});
