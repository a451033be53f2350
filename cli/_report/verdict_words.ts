import type { LogUnknown } from "../../session/mod.ts";
import type { LogCheck } from "../../types/mod.ts";

/** What a check that a log passed says. */
export const CHECKED_WORDS: Readonly<Record<LogCheck, string>> = {
  chain: "the hash chain and the framing of every entry",
  records: "the schema and the shape of every record",
  grammar: "the grammar of steps, with ids, indices, ordinals, attempts and counters",
  inputs: "that the snapshot and the digest of the context are those of the recorded inputs",
  prompts: "digest and size of every prompt",
  step_words:
    "what each step shows the model in the library's own words, and who denied or skipped its actions",
  stop_decisions: "every stop decision: that no limit was passed over, and why the run ended",
  finish: "the answer, the given-up id and the last prompt size of the finished record",
};

/** What it says that something was not checked. */
export const UNCHECKED_WORDS: Readonly<Record<LogCheck | LogUnknown, string>> = {
  ...CHECKED_WORDS,
  inputs:
    "digest and size of the context, which was recorded without its inputs: the first call's are taken for them",
  end:
    "whether whole entries were cut off the end, or the log was hashed anew: hold its head against the recorded one",
  cancellation: "whether the run was cancelled when it says so",
  answers: "what model and environment really answered",
  decisions: "whether each decision follows from its reply: only the interpreter can tell",
};

/** The same of a redacted log: what depends on the texts that it hides. */
export const HIDDEN_WORDS: Readonly<Record<LogCheck | LogUnknown, string>> = {
  ...UNCHECKED_WORDS,
  inputs: CHECKED_WORDS.inputs,
};
