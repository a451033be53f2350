import { type ErrorInfo, errorInfo, errorInfoWithStack } from "../../types/mod.ts";
import type { LiveRun } from "./live_run.ts";

/** What is recorded and told of what a tool, an interpreter or a callback threw. */
export function thrownInfo({ options }: LiveRun, thrown: unknown): ErrorInfo {
  return options.recordStacks === false ? errorInfo(thrown) : errorInfoWithStack(thrown);
}
