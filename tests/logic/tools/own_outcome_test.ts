import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import {
  type Tool,
  toolOutcome,
  type ToolOutcomeSpec,
  ToolRegistry,
} from "../../../logic/tools/mod.ts";
import { actionFate, InvalidRequestError, type JsonValue } from "../../../types/mod.ts";
import { execute, outcomeOf, returning, throwing } from "./executed_tools.ts";
import { withShortWaits } from "../../session/short_waits.ts";

const OBSERVED = { observation: "o", observationSynthetic: false, truncatedChars: 0 };
const ERROR = { name: "E", message: "m" };

Deno.test("toolOutcome() says what became of a tool's action", async () => {
  const ran = { ...OBSERVED, status: "executed" };
  const outcomes: [ToolOutcomeSpec, object][] = [
    [{ observation: "o" }, { ...ran, failed: false, completed: false }],
    [{ observation: "o", completed: true }, { ...ran, failed: false, completed: true }],
    [{ observation: "o", failed: true }, { ...ran, failed: true, completed: false }],
    [{ observation: "o", failed: true, completed: true }, {
      ...ran,
      failed: true,
      completed: true,
    }],
    [
      { observation: "o", failed: true, error: ERROR },
      { ...ran, failed: true, completed: false, error: ERROR },
    ],
    [
      { observation: "o", notExecuted: true },
      { ...OBSERVED, status: "not_executed", observationSynthetic: true },
    ],
  ];
  for (const [spec, outcome] of outcomes) {
    assertEquals<object>(await outcomeOf(returning(toolOutcome(spec))), outcome);
    assertEquals<object>(await outcomeOf(returning(Promise.resolve(toolOutcome(spec)))), outcome);
  }
});

Deno.test("toolOutcome() takes an error as it was thrown, with its stack", async () => {
  const thrown = new RangeError("m");
  const given = toolOutcome({ observation: "o", failed: true, error: thrown });
  const { error } = Object(await outcomeOf(returning(given)));
  assertEquals([error.name, error.message], ["RangeError", "m"]);
  assertStringIncludes(error.stack, "own_outcome_test.ts");
});

Deno.test("an outcome's observation is cut as a result's is", async () => {
  const given = toolOutcome({ observation: "abcdef", failed: true });
  const cut = await outcomeOf(returning(given, { maxObservationChars: 2 }), {
    truncationNotice: "",
  });
  assertEquals([cut.observation, cut.truncatedChars, actionFate(cut)], ["ef", 4, "failed"]);
});

Deno.test("toolOutcome() refuses what is no outcome, by name", () => {
  const wrong: [object, string][] = [
    [{}, "observation"],
    [{ observation: 5 }, "observation"],
    [{ observation: "o", failed: "yes" }, "failed"],
    [{ observation: "o", completed: 1 }, "completed"],
    [{ observation: "o", notExecuted: null }, "notExecuted"],
    [{ observation: "o", error: ERROR }, "error"],
    [{ observation: "o", failed: true, error: "m" }, "error"],
    [{ observation: "o", failed: true, error: null }, "error"],
    [{ observation: "o", failed: true, error: "" }, "error"],
    [{ observation: "o", failed: true, error: 0 }, "error"],
    [{ observation: "o", failed: true, error: false }, "error"],
    [{ observation: "o", failed: true, error: { name: "E" } }, "error.message"],
    [{ observation: "o", notExecuted: true, failed: true }, "failed"],
    [{ observation: "o", notExecuted: true, completed: true }, "completed"],
    [{ observation: "o", fails: true }, "fails"],
  ];
  for (const [spec, field] of wrong) {
    const error = assertThrows(() => toolOutcome(spec as ToolOutcomeSpec), InvalidRequestError);
    assertEquals(error.field, field);
  }
});

Deno.test("concurrent() is the tool's mark, and true for what would be refused", () => {
  const tools = ["a", "b"].map((name) => ({ ...returning(1), name, concurrent: name === "a" }));
  const executor = ToolRegistry.of(tools).executor();
  const asked = (tool: string, args: JsonValue) => executor.concurrent!({ tool, arguments: args });
  assertEquals(
    [asked("a", {}), asked("b", {}), asked("none", {}), asked("b", 5)],
    [true, false, true, true],
  );
});

Deno.test("a tool that takes too long is told so, and its own result or error counts", async () => {
  const waiting = (end: (signal: AbortSignal) => unknown): Tool => ({
    ...throwing("never called"),
    timeoutMs: 1,
    execute: (_, { signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => {
          try {
            resolve(end(signal));
          } catch (error) {
            reject(error);
          }
        });
      }),
  });
  const ended = await outcomeOf(waiting(() => "as far as I came"));
  assertEquals([actionFate(ended), ended.observation], ["executed", "as far as I came"]);
  const thrown = await outcomeOf(waiting((signal) => signal.throwIfAborted()));
  assertEquals(
    [actionFate(thrown), thrown.observation],
    ["failed", 'TimeoutError: the tool "give" took longer than 1 ms'],
  );
});

Deno.test("a tool that does not end is given up: nobody knows whether it took effect", () =>
  withShortWaits(async () => {
    const hanging: Tool = { ...returning(1), timeoutMs: 1, execute: () => new Promise(() => {}) };
    const texts = { timedOut: "{tool} {timeoutMs} {x}" };
    const aborted = execute(
      ToolRegistry.of([{ ...hanging, timeoutMs: 60_000 }]).executor(),
      { tool: "give", arguments: {} },
      AbortSignal.abort(new Error("enough")),
    );
    const ended = assertRejects(() => aborted, Error, "enough");
    const [outcome, { observation }] = await Promise.all([
      outcomeOf(hanging),
      outcomeOf(hanging, texts),
    ]);
    assertEquals<object>(outcome, {
      status: "environment_failed",
      effect: "unknown",
      observation: "(The tool give was given up after 1 ms. Nobody knows whether it took effect.)",
      observationSynthetic: true,
      truncatedChars: 0,
    });
    assertEquals(observation, "give 1 {x}");
    await ended;
  }));
