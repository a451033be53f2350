import { diffLogs, type LogDifference, readLog, type RunLog } from "../../session/mod.ts";
import { counted, harmlessLine, shownDifference } from "../../types/mod.ts";
import type { Command } from "../_command.ts";
import { differenceWords } from "../_report/difference_words.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { linesOf, type ReadStore, readStore } from "../_store/read_store.ts";

/** `diff`: where two runs part. */
export const DIFF: Command<"a" | "b"> = {
  name: "diff",
  summary: "Show the first step at which two runs part, and what differs there",
  operands: ["a", "b"],
  options: { store: STORE_OPTION },
  details: `Compares step by step what the model was sent, what it replied, how that was read and
what came of it; then where and why the runs stopped, then their settings; and only
then what no two calls have in common: tokens, and what a provider says for itself, such
as its ids and signatures. Times, ids of runs, hashes and attempts are no difference. A
fork is compared from the step on at which it begins.
Exits with 0 if there is none, with 1 if there is one, as diff does.`,
  async run(words, screen) {
    const names = [words.operand("a"), words.operand("b")] as const;
    const logs = await readStore(words, (open) => Promise.all(names.map((id) => logOf(open, id))));
    const [a, b] = logs;
    if (a === undefined || b === undefined) return 1;
    const difference = diffLogs(a, b);
    screen.print(
      difference === undefined
        ? `no difference in ${counted(a.steps.length, "step")}`
        : differencePage(difference, names),
    );
    return difference === undefined ? 0 : 1;
  },
};

async function logOf(open: ReadStore, runId: string): Promise<RunLog> {
  return readLog((await Array.fromAsync(linesOf(open, runId))).flat());
}

function differencePage(
  difference: LogDifference,
  names: readonly [one: string, other: string],
): string {
  const { a, b } = difference;
  const width = Math.max(names[0].length, names[1].length);
  const lines = shownDifference(a, b).map((text, i) =>
    `  ${(names[i] ?? "").padEnd(width)}  ${harmlessLine(text)}`
  );
  return [harmlessLine(differenceWords(difference, names)), ...lines].join("\n");
}
