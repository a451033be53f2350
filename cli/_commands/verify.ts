import { type LogUnknown, verifyLogInParts } from "../../session/mod.ts";
import { counted, harmlessLine, type LogCheck, paint } from "../../types/mod.ts";
import { type Command, UsageError } from "../_command.ts";
import { originLine, originOf } from "../_report/origin_verdict.ts";
import { CHECKED_WORDS, HIDDEN_WORDS, UNCHECKED_WORDS } from "../_report/verdict_words.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { linesOf, type ReadStore, readStore, sizeOf } from "../_store/read_store.ts";

/** `verify`: derives again what a log can decide about itself. */
export const VERIFY: Command<"run"> = {
  name: "verify",
  summary: "Check a run's log, as far as a log can be checked",
  operands: ["run"],
  options: {
    head: {
      value: "HASH",
      help: "the head that the log must have: what the run's result gave, or a paper cites",
    },
    parent: {
      help: `check that the run goes on from where it says that it does in another run's log, and
say what of that it edited or added`,
    },
    store: STORE_OPTION,
  },
  details: `Derives again all that a log can decide about itself: hash chain, records, grammar,
counters, prompts, stop decisions; and says what it cannot. That the end of a log
was cut off, or the whole of it written anew, only --head can tell for sure.
At the first fault it names the entry (counted from 0) and exits with 1.
It changes nothing, whatever it finds.`,
  async run(words, screen) {
    const runId = words.operand("run");
    const cited = words.values.get("head");
    if (cited !== undefined && !/^sha256:[0-9a-f]{64}$/.test(cited)) {
      throw new UsageError(`Cannot use "${cited}" as a head: it is "sha256:" and 64 hex digits`);
    }
    const finding = await readStore(words, (open) => examine(open, runId, cited));
    screen.print(
      finding.kind === "fault"
        ? faultPage(runId, finding, screen)
        : soundPage(runId, finding, screen),
    );
    if (finding.kind === "fault") return 1;
    if (!words.flags.has("parent")) return 0;
    const origin = await readStore(words, (open) => originOf(open, runId));
    screen.print(originLine(origin, screen));
    return origin.verdict.ok ? 0 : 1;
  },
};

/** The first thing that is wrong with a run's log. */
interface FaultFinding {
  readonly kind: "fault";
  readonly seq: number;
  readonly reason: string;
  /** Whether the log is damaged, rather than that of a later version. */
  readonly isDamage: boolean;
}

/** A log in which nothing is wrong, as far as it can be told. */
interface SoundFinding {
  readonly kind: "sound";
  readonly entries: number;
  readonly head: string;
  /** Whether that is the head that was given. */
  readonly isHeadGiven: boolean;
  /** How many bytes of an unfinished write follow the log. */
  readonly tornBytes: number;
  readonly checked: readonly LogCheck[];
  readonly unchecked: readonly (LogCheck | LogUnknown)[];
  /** The head of the log that it was made from. Absent: it is not redacted. */
  readonly redactedFrom: string | undefined;
}

async function examine(
  open: ReadStore,
  runId: string,
  cited?: string,
): Promise<FaultFinding | SoundFinding> {
  const isHeldFinished = await holdsFinished(open, runId);
  const size = await sizeOf(open, runId) ?? 0;
  let bytes = 0;
  async function* measured(): AsyncGenerator<readonly string[]> {
    for await (const lines of linesOf(open, runId)) {
      for (const line of lines) bytes += new TextEncoder().encode(line).length + 1;
      yield lines;
    }
  }
  const { log, fault, checked, unchecked } = await verifyLogInParts(measured());
  if (fault !== undefined) {
    const { seq, message: reason, code } = fault;
    return { kind: "fault", seq, reason, isDamage: code !== "schema_version" };
  }
  const { finished, entries, logHead: head } = log;
  if (finished === undefined && isHeldFinished) {
    const reason =
      "the store holds the run as finished, and its log has no end: entries are missing there";
    return { kind: "fault", seq: entries, reason, isDamage: true };
  }
  if (cited !== undefined && cited !== head) {
    const reason =
      `the log ends with the head ${head} and not with the one given: entries were cut off its end or added ` +
      "to it, or it was written anew";
    return { kind: "fault", seq: entries, reason, isDamage: true };
  }
  const isHeadGiven = cited !== undefined;
  const redactedFrom = log.started.redactedFrom?.logHead;
  const tornBytes = Math.max(0, size - bytes);
  return { kind: "sound", entries, head, isHeadGiven, tornBytes, checked, unchecked, redactedFrom };
}

/** Whether a database has marked a run as finished beside its log. A file has no such mark. */
async function holdsFinished({ store, kind }: ReadStore, runId: string): Promise<boolean> {
  if (kind === "jsonl") return false;
  return !(await store.listRuns({ unfinished: true })).includes(runId);
}

function faultPage(runId: string, fault: FaultFinding, screen: Screen): string {
  const { seq, reason, isDamage } = fault;
  const mark = paint(screen, "bad", "FAULT");
  const line = `${mark} in run ${runId} at entry ${seq}: ${harmlessLine(reason)}`;
  return isDamage
    ? `${line}\nNothing was changed: look for a copy of the log; as it is, it cannot be trusted`
    : line;
}

function soundPage(runId: string, found: SoundFinding, screen: Screen): string {
  const { entries, head, isHeadGiven, tornBytes, checked, unchecked, redactedFrom } = found;
  const words = redactedFrom === undefined ? UNCHECKED_WORDS : HIDDEN_WORDS;
  const lines = [
    `${paint(screen, "good", "ok")}: run ${runId}, ${entries} entries, head ${head}`,
    "checked:",
    ...checked.map((check) => `  + ${CHECKED_WORDS[check]}`),
    ...(isHeadGiven ? ["  + that the log ends with the head that was given"] : []),
    "cannot be checked from the log alone:",
    ...unchecked.filter((unknown) => unknown !== "end" || !isHeadGiven)
      .map((unknown) => `  ? ${words[unknown]}`),
  ];
  if (redactedFrom !== undefined) {
    lines.push(
      `note: texts of it are hidden; the log that it was made from has the head ${redactedFrom}`,
    );
  }
  if (tornBytes > 0) {
    lines.push(
      `note: ${
        counted(tornBytes, "byte")
      } after the last entry are the torn tail of a write that a crash cut off: ` +
        "no part of the log; resume puts them into a file beside it",
    );
  }
  return lines.join("\n");
}
