import type { RunLogSummary } from "../../session/mod.ts";
import {
  type ActionRecord,
  canonicalJson,
  countCodePoints,
  type ErrorInfo,
  type JsonValue,
  snakeCase,
  type StepRecord,
  type Usage,
} from "../../types/mod.ts";

/** A column of the export: its name, what it holds, and how it is read off a step. */
export interface ExportColumn {
  /** Its name. */
  readonly name: string;
  /** Its type and unit, what it holds, and when it is null. */
  readonly help: string;
  /** Its value for a step of a log; nothing where the record has nothing. */
  readonly read: (step: StepRecord, log: RunLogSummary) => JsonValue | undefined;
}

const tokens = (part: keyof Usage, help: string): ExportColumn => ({
  name: snakeCase(part),
  help: `number, tokens: ${help}; null: not reported`,
  read: ({ reply }) => reply?.usage?.[part],
});

const actions = (name: string, help: string, is: (action: ActionRecord) => boolean) => ({
  name,
  help: `number: ${help}; never null`,
  read: (step: StepRecord) => step.actions.filter(is).length,
});

/** The columns of the export, in order. */
export function exportColumns(): readonly ExportColumn[] {
  return [...runColumns(), ...stepColumns(), ...replyColumns(), ...actionColumns()];
}

function runColumns(): readonly ExportColumn[] {
  return [
    { name: "run_id", help: "string; never null", read: (_, { runId }) => runId },
    {
      name: "log_head",
      help: "string: hash of the run's last entry, which stands for the whole log; never null",
      read: (_, { logHead }) => logHead,
    },
    {
      name: "run_started_at",
      help: "string, ISO 8601 UTC; never null",
      read: (_, { started }) => started.at,
    },
    {
      name: "stop_reason",
      help: "string: why the run stopped; null: it has not finished",
      read: (_, { finished }) => finished?.stopReason,
    },
    {
      name: "binding",
      help: "object of strings: the run's coordinates (modelBinding); never null",
      read: (_, { settings }) => settings.modelBinding,
    },
    {
      name: "fingerprints",
      help: "object of strings: versions of the run's recipes; never null",
      read: (_, { settings }) => settings.fingerprints,
    },
  ];
}

function stepColumns(): readonly ExportColumn[] {
  return [
    {
      name: "step_index",
      help: "number, from 0; never null",
      read: ({ stepIndex }) => stepIndex,
    },
    {
      name: "started_at",
      help: "string, ISO 8601 UTC: when its first model call was intended; never null",
      read: ({ startedAt }) => startedAt,
    },
    {
      name: "duration_ms",
      help: "number, milliseconds, without waiting for approvals; never null",
      read: ({ durationMs }) => durationMs,
    },
    {
      name: "outcome",
      help: "string: what became of the step; never null",
      read: ({ outcome }) => outcome,
    },
    {
      name: "prompt_chars",
      help: "number, code points of the prompt that was sent; never null",
      read: ({ promptChars }) => promptChars,
    },
    {
      name: "prompt_messages",
      help: "number: its messages; never null",
      read: ({ promptMessages }) => promptMessages,
    },
    {
      name: "prompt_digest",
      help: "string: the digest of its messages; never null",
      read: ({ promptDigest }) => promptDigest,
    },
    {
      name: "model_attempts",
      help: "number: model calls intended, 2 or more after a replay; never null",
      read: ({ modelAttempts }) => modelAttempts,
    },
    {
      name: "withdrawn_calls",
      help:
        "array of objects, one for each model call that was given up: attempt, reason, error_name, error_message; never null",
      read: ({ stepIndex }, { withdrawals }) =>
        withdrawals.filter((call) => call.stepIndex === stepIndex)
          .map(({ attempt, reason, error }) => ({ attempt, reason, ...errorCells(error) })),
    },
    {
      name: "observation",
      help:
        "string: what the model was shown of a step without an action; null: it had actions, or nothing was shown",
      read: ({ observation }) => observation,
    },
    {
      name: "error_name",
      help: "string: what the failed model call threw; null: nothing",
      read: ({ error }) => error?.name,
    },
    {
      name: "error_message",
      help: "string: its message; null: nothing was thrown",
      read: ({ error }) => error?.message,
    },
  ];
}

function replyColumns(): readonly ExportColumn[] {
  return [
    {
      name: "reply_text",
      help: "string: what the model wrote, empty if nothing; null: no reply arrived",
      read: ({ reply }) => reply?.text,
    },
    {
      name: "reply_chars",
      help: "number, code points of reply_text; null: no reply arrived",
      read: ({ reply }) => reply === undefined ? undefined : countCodePoints(reply.text),
    },
    {
      name: "finish_reason",
      help: "string: why the model stopped writing; null: not known",
      read: ({ reply }) => reply?.finishReason,
    },
    {
      name: "served_model",
      help: "string: the model that the provider says it served; null: not reported",
      read: ({ reply }) => reply?.servedModel,
    },
    {
      name: "served_by",
      help: "number, from 0: which of several models replied; null: the port has one, or no reply",
      read: ({ reply }) => reply?.servedBy,
    },
    {
      name: "retries",
      help:
        "array of objects, one for each attempt at the call that failed and was made again: waited_ms, error_name, error_message; never null",
      read: ({ reply, error }) =>
        (reply?.retries ?? error?.retries ?? []).map(({ error, waitedMs }) => ({
          waited_ms: waitedMs,
          ...errorCells(error),
        })),
    },
    tokens("inputTokens", "of the prompt, cached ones included"),
    tokens("outputTokens", "of the reply, reasoning included"),
    tokens("cachedInputTokens", "of the prompt, read from a cache"),
    tokens("cacheWriteTokens", "of the prompt, written to a cache"),
    tokens("reasoningTokens", "of the reply, reasoning"),
    {
      name: "decision",
      help: "string: action, final_answer or invalid; null: the reply was never interpreted",
      read: ({ decision }) => decision?.kind,
    },
    {
      name: "answer",
      help: "string, JSON: the final answer; null: the step is none",
      read: ({ decision }) =>
        decision?.kind === "final_answer" ? canonicalJson(decision.answer) : undefined,
    },
  ];
}

function actionColumns(): readonly ExportColumn[] {
  return [
    actions("action_count", "its actions", () => true),
    actions("executed_count", "those executed", ({ status }) => status === "executed"),
    actions(
      "failed_count",
      "those that ran and failed by themselves",
      ({ failed }) => failed === true,
    ),
    actions("unknown_count", "those of unknown outcome", ({ status }) => status === "unknown"),
    {
      name: "actions",
      help:
        `array of objects, one for each action: action_id, tool_name, action (string, JSON), status, failed,
observation, observation_synthetic, completed, tool_completes, truncated_chars (code points),
attempts, duration_ms, error_name, error_message, effect ("unknown" where it was given up), denied_by,
resolved_by; never null, but failed and completed in it are null for an action that was not executed`,
      read: ({ actions }) => actions.map(actionObject),
    },
  ];
}

function errorCells(error: ErrorInfo | undefined): {
  readonly error_name: string | null;
  readonly error_message: string | null;
} {
  return { error_name: error?.name ?? null, error_message: error?.message ?? null };
}

function actionObject(action: ActionRecord): JsonValue {
  const denial = action.status === "not_executed" ? action.denial : undefined;
  const error = "error" in action ? action.error : undefined;
  return {
    action_id: action.actionId,
    tool_name: action.toolName ?? null,
    action: canonicalJson(action.action),
    status: action.status,
    failed: action.failed ?? null,
    observation: action.observation,
    observation_synthetic: action.observationSynthetic,
    completed: action.completed ?? null,
    tool_completes: action.toolCompletes,
    truncated_chars: action.truncatedChars,
    attempts: action.attempts,
    duration_ms: action.durationMs,
    ...errorCells(error),
    effect: "effect" in action ? action.effect ?? null : null,
    denied_by: denial?.by ?? null,
    resolved_by: action.resolvedBy ?? null,
  };
}

/** The row of a recorded step: the values of the columns. */
export function exportRow(
  step: StepRecord,
  log: RunLogSummary,
  columns: readonly ExportColumn[],
): readonly JsonValue[] {
  return columns.map(({ read }) => read(step, log) ?? null);
}

/**
 * A row as a line of CSV (RFC 4180 but for LF): null is an empty field, an empty string is `""`, objects are JSON. What
 * a spreadsheet of another language would take for the end of a cell is in quotes.
 *
 * @param raw Whether a text stays as it is that a spreadsheet could take for a formula; else `'` is put before it.
 */
export function csvLine(values: readonly JsonValue[], raw: boolean): string {
  return values.map((value) => {
    if (value === null) return "";
    const text = typeof value === "object" ? canonicalJson(value) : String(value);
    const cell = !raw && typeof value === "string" && isFormula(text) ? `'${text}` : text;
    return cell === "" || /[",;\p{Cc}\p{Zl}\p{Zp}]/u.test(cell)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  }).join(",");
}

/** Whether a spreadsheet could take a text for a formula, also where it leaves out what it does not show of it. */
function isFormula(text: string): boolean {
  return /^[\t\r\n]|^[\s\p{C}]*[=+\-@＝＋－＠]/u.test(text);
}
