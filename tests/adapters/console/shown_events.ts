import { consoleEvents, type ConsoleEventsOptions } from "../../../adapters/console_events.ts";
import type { RunEvent } from "../../../ports/mod.ts";
import type { ActionRecord, StepRecord } from "../../../types/mod.ts";

/** An event before it is numbered. */
export type Payload<E = RunEvent> = E extends RunEvent ? Omit<E, "runId" | "sequence" | "at">
  : never;

/** What a sink writes for events of one run. */
export function shown(
  events: Payload[],
  options: ConsoleEventsOptions = {},
  runId = "demo",
): string {
  const bytes: number[] = [];
  const output = {
    writeSync(piece: Uint8Array) {
      const taken = piece.subarray(0, 7); // as a pipe may do
      bytes.push(...taken);
      return taken.length;
    },
  };
  const sink = consoleEvents({ output, ...options });
  for (const [sequence, event] of events.entries()) {
    sink.emit({ ...event, runId, sequence, at: "2026-01-01T00:00:00.000Z" } as RunEvent);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** An action, whatever became of it. */
export const ACTION = {
  actionId: "demo/s0_a0",
  action: { tool: "add", arguments: {} },
  toolName: "add",
  observation: "3",
  observationSynthetic: false,
  toolCompletes: false,
  truncatedChars: 0,
  attempts: 1,
  durationMs: 1,
};

/** An action that ran. */
export type Executed = Extract<ActionRecord, { readonly status: "executed" }>;

/** An action that ran well, unless told otherwise. */
export function executed(more: Partial<Omit<Executed, "error">> = {}): Executed {
  return { ...ACTION, status: "executed", failed: false, completed: false, ...more };
}

/** The event of a recorded step. */
export function recorded(fields: Partial<StepRecord> = {}): Payload {
  const step: StepRecord = {
    stepIndex: 0,
    outcome: "acted",
    modelCallId: "demo/s0",
    modelAttempts: 1,
    actions: [executed()],
    promptChars: 5,
    promptMessages: 1,
    promptDigest: "sha256:0",
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1_234,
    ...fields,
  };
  return { type: "step_recorded", step };
}

/** The event of a run that starts. */
export const STARTED: Payload = {
  type: "run_started",
  parameters: { "request.budget.max_steps": "4" },
};
/** The event of a run that goes on. */
export const RESUMED = {
  type: "run_resumed",
  parameters: { "request.budget.max_steps": "4" },
  plan: "next_step",
  recordedSteps: 1,
} as const;
/** The event of a run that ends. */
export const FINISHED: Payload = {
  type: "run_finished",
  stopReason: "final_answer",
  stopConditions: ["final_answer"],
  counters: { steps: 2, modelCalls: 1, withdrawnCalls: 0, totalTokens: 0, largestPromptChars: 5 },
};
