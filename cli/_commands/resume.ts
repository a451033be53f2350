import type { Command } from "../_command.ts";
import { driveModule, MODULE_OPTIONS } from "./run.ts";

/** `resume`: goes on with the run of a module. */
export const RESUME: Command<"module"> = {
  name: "resume",
  summary: "Go on with a run that was suspended, killed or has crashed",
  operands: ["module"],
  options: {
    ...MODULE_OPTIONS,
    "take-over": {
      help: `do not wait for the lease of a process that is dead; one that lives loses the run
at its next write`,
    },
  },
  details: `Takes the same module, --run-id and --store as "run" did, and goes on where the log
ends. What is unknown is never guessed. If the run has finished, its result is read.
If another process drives it, that is an error; where the store has leases (sqlite, kv)
and nobody can tell whether it lives, its lease is waited for first.
See "run --help" for what the module exports, and for the exit code.`,
  run: (words, screen) => driveModule("resume", words, screen),
};
