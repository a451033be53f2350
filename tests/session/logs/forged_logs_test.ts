import { assert, assertEquals } from "@std/assert";
import { digest, type LogCheck, type LogRecord } from "../../../types/mod.ts";
import { verifyLog } from "../../../session/mod.ts";
import { forged, type Forgery } from "./forged.ts";
import { LOGS, TOOLS } from "./recorded_logs.ts";

type Kind = LogRecord["type"];
const on = <K extends Kind>(
  type: K,
  change: (record: LogRecord & { type: K }) => object,
): Forgery =>
(record) =>
  record.type === type ? { ...record, ...change(record as LogRecord & { type: K }) } : record;
const inputs = (change: object) =>
  on("run_started", (started) => ({ inputs: { ...started.inputs, ...change } }));
const parameter = (key: string, value: string) =>
  on("run_started", ({ parameters }) => ({ parameters: { ...parameters, [key]: value } }));
const result = (
  change: object,
  which: (record: LogRecord & { type: "action_result" }) => boolean = () => true,
) => on("action_result", (record) => which(record) ? change : {});
const abandoned = (...ids: string[]) => on("run_finished", () => ({ abandoned: ids }));
const ERROR = { name: "E", message: "m" };

/** Logs that a forger hashed anew so that every prompt is still the recorded one, with what is wrong. */
const FORGERIES: readonly (readonly [keyof typeof LOGS, string, Forgery, LogCheck, string])[] = [
  [
    "mixed",
    "the tools of another model",
    inputs({ tools: [{ ...TOOLS.schemaForModel()[0], name: "x" }] }),
    "inputs",
    "inputs",
  ],
  ["mixed", "no tools at all", inputs({ tools: undefined }), "inputs", "inputs"],
  [
    "mixed",
    "another entry id",
    inputs({ injections: { notes: [{ entryId: "m", content: "x" }], empty: [] } }),
    "inputs",
    "inputs",
  ],
  [
    "mixed",
    "a channel less",
    inputs({ injections: { notes: [{ entryId: "n", content: "x" }] } }),
    "inputs",
    "inputs",
  ],
  ["mixed", "a channel more", parameter("request.injected_entry_ids.more", ""), "inputs", "inputs"],
  [
    "mixed",
    "a limit that is no whole number",
    parameter("request.budget.max_steps", "1e2"),
    "stop_decisions",
    'limit "maxSteps"',
  ],
  [
    "mixed",
    "a limit below 0",
    parameter("request.budget.max_steps", "-1"),
    "stop_decisions",
    'limit "maxSteps"',
  ],
  [
    "mixed",
    "another denier",
    result({ denial: { by: "nobody" } }, (record) => "denial" in record),
    "step_words",
    "guard",
  ],
  [
    "mixed",
    "a denial of what was executed",
    result({ denial: { by: "guard" } }, ({ status }) => status === "executed"),
    "records",
    "denial",
  ],
  [
    "mixed",
    "another reason of a denial",
    result({ denial: { by: "guard", reason: "so" } }, (record) => "denial" in record),
    "step_words",
    "words",
  ],
  [
    "mixed",
    "an action that was silently skipped",
    result({ denial: undefined }, (record) => "denial" in record),
    "step_words",
    "skipped",
  ],
  [
    "mixed",
    "other words for a skipped action",
    result({ observation: "x" }, ({ ordinal }) => ordinal === 2),
    "step_words",
    "words",
  ],
  [
    "mixed",
    "an error of an action that had none",
    result({ error: ERROR }, ({ status }) => status === "executed"),
    "records",
    "only an action that failed",
  ],
  [
    "mixed",
    "an error of a step that had none",
    on("step", ({ stepIndex }) => stepIndex === 0 ? { error: ERROR } : {}),
    "step_words",
    "an error",
  ],
  [
    "mixed",
    "a resolver of what was not in question",
    on("action_intent", () => ({ resolvedBy: "x" })),
    "grammar",
    "in question",
  ],
  [
    "mixed",
    "a resolved result that was not in question",
    result({ resolvedBy: "x" }, ({ ordinal }) => ordinal === 2),
    "grammar",
    "in question",
  ],
  ["mixed", "an abandoned call that was settled", abandoned("r/s0"), "finish", "given up"],
  [
    "invalid",
    "an observation that is not the explanation",
    on("step", () => ({ observation: "x" })),
    "step_words",
    "words",
  ],
  [
    "invalid",
    "an explanation that the library wrote",
    on("step", () => ({ observationSynthetic: true })),
    "step_words",
    "words",
  ],
  [
    "failed",
    "other words for a failed call",
    on("step", () => ({ observation: "x" })),
    "step_words",
    "words",
  ],
  [
    "failed",
    "words that are not the library's",
    on("step", () => ({ observationSynthetic: false })),
    "step_words",
    "words",
  ],
  [
    "failed",
    "no error of a failed call",
    on("step", () => ({ error: undefined })),
    "step_words",
    "an error",
  ],
  [
    "failed",
    "an error of a call that nobody knows of",
    on("step", () => ({ outcome: "model_outcome_unknown" })),
    "step_words",
    "an error",
  ],
  [
    "refused",
    "a call that asking again could mend, after which the run ended all the same",
    on("step", ({ error }) => ({ error: { ...error, retriable: true } })),
    "stop_decisions",
    "model_call_failed",
  ],
  [
    "mixed",
    "a call that asking again cannot mend, after which the run went on",
    on("step", ({ error }) => error === undefined ? {} : { error: { ...error, retriable: false } }),
    "stop_decisions",
    "model_call_failed",
  ],
  [
    "broken",
    "other words for a broken environment",
    result({ observation: "x" }),
    "step_words",
    "words",
  ],
  [
    "broken",
    "a broken environment that completed",
    result({ completed: true }),
    "records",
    "completed",
  ],
  [
    "bare",
    "a first prompt that is not the context",
    on("run_started", () => ({ contextDigest: digest("x") })),
    "prompts",
    "context digest",
  ],
  [
    "bare",
    "the size of a prompt that did not overflow",
    on("run_finished", () => ({ promptChars: 0 })),
    "finish",
    "size",
  ],
  [
    "bare",
    "a text of history that the next prompt does not hold",
    on("decision", ({ historyText }) => ({ historyText: `${historyText}!` })),
    "prompts",
    "do not give the prompt",
  ],
  [
    "bare",
    "an observation that the next prompt does not hold",
    on("action_result", () => ({ observation: "something else" })),
    "prompts",
    "do not give the prompt",
  ],
  ["call", "another call that was given up", abandoned("r/s0"), "finish", "given up"],
  [
    "action",
    "the same action given up twice",
    abandoned("r/s1_a0", "r/s1_a0"),
    "finish",
    "given up",
  ],
  ["action", "a call given up that was answered", abandoned("r/s1"), "finish", "given up"],
  [
    "action",
    "other words for an unknown action",
    result({ observation: "x" }, ({ status }) => status === "unknown"),
    "step_words",
    "words",
  ],
  [
    "action",
    "an unknown action that completed",
    result({ completed: true }, ({ status }) => status === "unknown"),
    "records",
    "completed",
  ],
];

for (const [log, what, forgery, code, message] of FORGERIES) {
  Deno.test(`verifyLog() finds a forged log: ${what} (${log})`, () => {
    const lines = LOGS[log];
    assertEquals(verifyLog(lines).fault, undefined);
    const { ok, fault } = verifyLog(forged(lines, forgery));
    assertEquals({ ok, code: fault?.code }, { ok: false, code });
    assert(fault!.message.includes(message), fault!.message);
  });
}

Deno.test("verifyLog() holds no given-up id against a run that gave it up", () => {
  for (const log of ["call", "action"] as const) {
    const [finished] = LOGS[log].slice(-1).map((line) => JSON.parse(line).records[0]);
    assertEquals(finished.abandoned, [log === "call" ? "r/s1" : "r/s1_a0"]);
    assert(verifyLog(LOGS[log]).ok && verifyLog(forged(LOGS[log], abandoned())).ok);
  }
});
