import { assertEquals } from "@std/assert";
import { ParameterDriftError, RunExistsError, RunNotFoundError } from "../../types/mod.ts";

Deno.test("the errors of a run that cannot begin or go on say what to do instead", () => {
  const drifts = [
    { key: "request.budget.max_steps", kind: "changed", recorded: "9", current: "8" },
    { key: "request.context", kind: "changed", source: "goal[0]", recorded: "a", current: "b" },
  ] as const;
  const messages = [
    [
      new RunExistsError("r"),
      'Cannot start run "r" as the store holds a run of that id already: resume it, or take another id',
    ],
    [
      new RunNotFoundError("r"),
      'Cannot resume run "r" as the store holds no run of that id: start it first',
    ],
    [
      new ParameterDriftError("r", drifts),
      'Cannot resume run "r" as its settings are not those it started with (bring them back, or start another run): ' +
      'request.budget.max_steps (changed: recorded "9", current "8"); ' +
      'request.context (changed from goal[0] on: recorded "a", current "b")',
    ],
  ] as const;
  for (const [error, message] of messages) assertEquals(error.message, message);
});
