import { continued } from "../../session/mod.ts";
import { textMessage } from "../../types/mod.ts";
import type { Command } from "../_command.ts";
import { neededValue, parentLog } from "../_driving/derived_request.ts";
import { driveModule, MODULE_OPTIONS } from "./run.ts";

const { "run-id": _, ...OPTIONS } = MODULE_OPTIONS;

/** `continue`: makes the next run of a conversation. */
export const CONTINUE: Command<"run" | "module"> = {
  name: "continue",
  summary: "Make the next run of a conversation: a finished run, and what is said to it now",
  operands: ["run", "module"],
  options: {
    message: { value: "TEXT", help: "what the user says now" },
    as: { value: "ID", help: "the id of the new run" },
    ...OPTIONS,
  },
  details: `The new run starts with all that the finished one had said and seen, and the message.
All else (the model, the tools, the budget) is the module's. A run that has not
finished is resumed, not continued. The recorded run is not changed.
Goes on with "resume <module> --run-id ID". See "run --help" for the rest.`,
  run(words, screen) {
    const text = neededValue("continue", words, "message");
    const runId = neededValue("continue", words, "as");
    return driveModule("run", words, screen, {
      runId,
      async derive(store) {
        const log = await parentLog(store, words.operand("run"));
        if (log.finished === undefined) {
          throw new Error(
            `Cannot continue run "${log.runId}" as it has not finished: resume it first, or fork it`,
          );
        }
        return continued(log, textMessage("user", text));
      },
    });
  },
};
