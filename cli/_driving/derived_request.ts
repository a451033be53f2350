import type { RunStore } from "../../ports/mod.ts";
import {
  readLog,
  requestInputs,
  type RunLog,
  type RunRequest,
  type RunSpec,
} from "../../session/mod.ts";
import { type CommandWords, UsageError } from "../_command.ts";

/** What a run has of another one, in the place of what its module says. */
export type Derived = Partial<Pick<RunSpec, "context" | "injections" | "derivedFrom">>;

/** The log of a run to go on from. */
export async function parentLog(store: RunStore, runId: string): Promise<RunLog> {
  const lines = await store.readRun(runId);
  if (lines === null) {
    throw new Error(`Cannot go on from run "${runId}" as the store holds no run of that id`);
  }
  return readLog(lines);
}

/**
 * What a recorded run inherited, where its module makes a run that inherits nothing: so that a run that "fork" or
 * "continue" made is resumed with the same module.
 */
export async function recordedInheritance(
  store: RunStore,
  runId: string,
  request: RunRequest,
): Promise<Derived> {
  if (request.derivedFrom !== undefined) return {};
  const lines = await store.readRun(runId);
  const log = lines === null ? undefined : readLog(lines);
  if (log?.started.inputs === undefined) return {};
  const { context, injections, derivedFrom } = requestInputs(log);
  return derivedFrom === undefined ? {} : { context, injections, derivedFrom };
}

/** The value of an option that a command cannot do without. */
export function neededValue(command: string, { values }: CommandWords, name: string): string {
  const value = values.get(name);
  if (value !== undefined) return value;
  throw new UsageError(`Cannot understand the command line of "${command}" as it needs --${name}`);
}
