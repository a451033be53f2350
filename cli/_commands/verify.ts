import { readLog, verifyLog } from "../../session/mod.ts";
import { counted, harmlessLine, paint, RunLogCorruptError } from "../../types/mod.ts";
import type { Command } from "../_command.ts";
import { type OpenStore, readStore, readWithTail, STORE_OPTION } from "../_open_store.ts";
import type { Screen } from "../_screen.ts";

/** `verify`: derives again what a log can decide about itself. */
export const VERIFY: Command = {
  name: "verify",
  summary: "Check a run's log, as far as a log can be checked",
  operands: ["run"],
  options: {
    head: {
      value: "HASH",
      help: "the head that the log must have: what the run's result gave, or a paper cites",
    },
    store: STORE_OPTION,
  },
  details: `Derives again all that a log can decide about itself: hash chain, records, grammar,
counters, prompts, stop decisions; and says what it cannot. That the end of a log
was cut off, or the whole of it written anew, only --head can tell for sure.
At the first fault it names the entry (counted from 0) and exits with 1.
It changes nothing, whatever it finds.`,
  async run(words, screen) {
    const [runId] = words.operands as [string];
    const cited = words.values.get("head");
    const finding = await readStore(words, (open) => examine(open, runId, cited));
    report(runId, finding, screen);
    return finding.fault === undefined ? 0 : 1;
  },
};

/** What was found out about a run's log. */
interface Finding {
  /** The first fault. Absent: there is none. */
  readonly fault?: { readonly seq: number; readonly reason: string; readonly isDamage: boolean };
  readonly entries: number;
  readonly head: string;
  /** How many bytes of an unfinished write follow the log. */
  readonly tornBytes: number;
  readonly checked: readonly string[];
  readonly unchecked: readonly string[];
}

const NOTHING = { entries: 0, head: "", tornBytes: 0, checked: [], unchecked: [] };

async function examine(open: OpenStore, runId: string, cited?: string): Promise<Finding> {
  const isHeldFinished = await holdsFinished(open, runId);
  try {
    const { lines, tornBytes } = await readWithTail(open, runId);
    const { fault, ...verdict } = verifyLog(lines);
    if (fault !== undefined) {
      return { ...NOTHING, fault: faultOf(fault.seq, fault.message, fault.error) };
    }
    const { finished, entries, logHead: head } = readLog(lines);
    const lost = finished === undefined && isHeldFinished
      ? "the store holds the run as finished, and its log has no end: entries are missing there"
      : cited !== undefined && cited !== head
      ? `the log ends with the head ${head} and not with the one given: entries were cut off its end or added ` +
        "to it, or it was written anew"
      : undefined;
    const found = { entries, head, tornBytes, ...verdict };
    if (lost !== undefined) return { ...found, fault: faultOf(entries, lost) };
    return cited === undefined ? found : {
      ...found,
      checked: [...verdict.checked, "that the log ends with the head that was given"],
      unchecked: verdict.unchecked.filter((line) => !line.includes("hold its head")),
    };
  } catch (error) {
    if (!(error instanceof RunLogCorruptError)) throw error;
    return { ...NOTHING, fault: faultOf(error.seq, error.message) };
  }
}

/** Whether a database has marked a run as finished beside its log. A file has no such mark. */
async function holdsFinished({ store, kind }: OpenStore, runId: string): Promise<boolean> {
  if (kind === "jsonl") return false;
  return !(await store.listRuns({ unfinished: true })).includes(runId);
}

function faultOf(seq: number, reason: string, error?: string): Finding["fault"] & object {
  return { seq, reason, isDamage: error !== "SchemaVersionError" };
}

function report(runId: string, finding: Finding, screen: Screen): void {
  const { fault, entries, head, tornBytes, checked, unchecked } = finding;
  if (fault !== undefined) {
    screen.print(
      `${paint(screen, "bad", "FAULT")} in run ${runId} at entry ${fault.seq}: ${
        harmlessLine(fault.reason)
      }`,
    );
    if (fault.isDamage) {
      screen.print(
        "Nothing was changed: look for a copy of the log; as it is, it cannot be trusted",
      );
    }
    return;
  }
  screen.print(`${paint(screen, "good", "ok")}: run ${runId}, ${entries} entries, head ${head}`);
  screen.print("checked:");
  for (const line of checked) screen.print(`  + ${line}`);
  screen.print("cannot be checked from the log alone:");
  for (const line of unchecked) screen.print(`  ? ${line}`);
  if (tornBytes === 0) return;
  screen.print(
    `note: ${
      counted(tornBytes, "byte")
    } after the last entry are the torn tail of a write that a crash cut off: ` +
      "no part of the log; resume puts them into a file beside it",
  );
}
