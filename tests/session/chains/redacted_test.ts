import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { InvalidRequestError, run, textMessage } from "../../../mod.ts";
import {
  contextAt,
  continued,
  diffLogs,
  readLog,
  redactLog,
  type RunLog,
  verifyOrigin,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { replayRun } from "../../contract/mod.ts";
import { longModel, POLICY } from "../long_runs/long_world.ts";
import { agentOf, now, requestOf } from "../world.ts";
import { made } from "./chain_world.ts";

const redacted = (lines: readonly string[], digests: "keep" | "drop"): RunLog =>
  readLog(redactLog(lines, { patterns: [/hunter\d/], digests }));

const contextOf = (text: string) => ({ runLevel: [], goalLevel: [textMessage("user", text)] });

Deno.test("no run goes on from a redacted log, is held against one, or is made again by one", async () => {
  const { log, lines } = await made(memoryStore(), "text", ["do hunter2", "answer 1"]);
  const fork = await made(memoryStore(), "text", ["answer 2"], { runId: "b", ...contextAt(log) });
  const hidden = redacted(lines, "keep");
  const hiddenFork = redacted(fork.lines, "keep");
  const refusals = [
    ["log", () => contextAt(hidden, 0)],
    ["log", () => continued(hidden, textMessage("user", "and?"))],
    ["log", () => verifyOrigin(hiddenFork, log)],
    ["parent", () => verifyOrigin(fork.log, hidden)],
  ] as const;
  for (const [field, take] of refusals) {
    const error = assertThrows(take, InvalidRequestError, "take the log that it was made from");
    assertEquals(error.field, field);
  }
  const hiddenLines = redactLog(lines, { patterns: [/hunter2/] });
  await assertRejects(
    () => replayRun(agentOf([]), requestOf(), hiddenLines),
    InvalidRequestError,
    "are hidden in it",
  );
});

Deno.test("diffLogs() compares what redacted logs show, whether their digests are there or not", async () => {
  const linesOf = async (word: string) =>
    (await made(memoryStore(), "text", ["answer 1"], { context: contextOf(word) })).lines;
  const [open, other] = [await linesOf("the sea"), await linesOf("the sky")];
  const secret = await linesOf("hunter2");
  for (const digests of ["keep", "drop"] as const) {
    assertEquals(diffLogs(redacted(open, digests), readLog(open)), undefined);
    for (const [a, b] of [[open, other], [open, secret]] as const) {
      const found = diffLogs(redacted(a, digests), redacted(b, digests));
      assertEquals(found?.path, "messages[0].content[0].text");
    }
  }
});

Deno.test("diffLogs() compares redacted logs of runs that shortened their prompts", async () => {
  const store = memoryStore();
  const said = (step: number) => ({
    text: step < 9 ? `do ${"hunter2 ".repeat(12)}${step}` : "answer 1",
  });
  const model = longModel(said, () => ({ text: "hunter2 went on" }));
  await run(agentOf(model, { store }), requestOf({ contextPolicy: POLICY }), { now });
  const lines = await store.readRun("r") ?? [];
  for (const digests of ["keep", "drop"] as const) {
    const log = redacted(lines, digests);
    assertEquals(diffLogs(log, log), undefined);
    assertEquals(diffLogs(log, readLog(lines))?.what, "reply");
  }
});
