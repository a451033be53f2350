import { contextAt } from "../../session/mod.ts";
import { counted } from "../../types/mod.ts";
import { type Command, UsageError } from "../_command.ts";
import { neededValue, parentLog } from "../_driving/derived_request.ts";
import { driveModule, MODULE_OPTIONS } from "./run.ts";

const { "run-id": _, ...OPTIONS } = MODULE_OPTIONS;

/** `fork`: makes another run that goes on from a step of a recorded one. */
export const FORK: Command<"run" | "module"> = {
  name: "fork",
  summary: "Make another run that begins where a step of a recorded run did",
  operands: ["run", "module"],
  options: {
    at: { value: "N", help: "the step before which to go on, from 0: the first N steps are taken" },
    as: { value: "ID", help: "the id of the new run" },
    ...OPTIONS,
  },
  details: `The new run starts with all that the other one had said and seen before step N: its
first prompt is the one of that step, byte for byte. All else (the model, the tools,
the budget) is the module's. The recorded run is not changed, and nothing of it is
done again; what its later steps did to the world is not undone.
Goes on with "resume <module> --run-id ID". See "run --help" for the rest.`,
  run(words, screen) {
    const at = neededValue("fork", words, "at");
    const runId = neededValue("fork", words, "as");
    if (!/^\d{1,9}$/.test(at)) {
      throw new UsageError(`Cannot fork at "${at}" as a step is a whole number from 0`);
    }
    return driveModule("run", words, screen, {
      runId,
      async derive(store) {
        const log = await parentLog(store, words.operand("run"));
        const { runId, steps } = log;
        if (Number(at) > steps.length) {
          const recorded = counted(steps.length, "recorded step");
          throw new Error(`Cannot fork at "${at}" as run "${runId}" has ${recorded}`);
        }
        return contextAt(log, Number(at));
      },
    });
  },
};
