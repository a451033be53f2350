import { readLog } from "../../session/mod.ts";
import { harmlessLine, PolyLoopError } from "../../types/mod.ts";
import type { Command } from "../_command.ts";
import { openPlace, reportsTokens } from "../_report/standing.ts";
import { type OpenStore, STORE_OPTION } from "../_store/open_store.ts";
import { readLines, readStore } from "../_store/read_store.ts";
import { table } from "../_terminal_text.ts";

/** `list`: the runs of a store. */
export const LIST: Command = {
  name: "list",
  summary: "List the runs of a store, a line each",
  operands: [],
  options: { store: STORE_OPTION },
  details: `Each line has the run's id, when it started (UTC), how many steps and model calls
it took, the tokens that its replies reported (- if none did), and why it stopped or
where it stands.
A run whose log cannot be read says so; "verify" tells more.`,
  async run(words, screen) {
    const rows = await readStore(words, async (open) => {
      const rows: (readonly string[])[] = [];
      for (const runId of await open.store.listRuns()) rows.push(await row(open, runId));
      return rows;
    });
    if (rows.length === 0) {
      screen.complain("the store holds no runs");
      return 0;
    }
    const header = ["run", "started", "steps", "calls", "tokens", "state"];
    for (const line of table([header, ...rows], [2, 3, 4])) screen.print(line);
    return 0;
  },
};

async function row(open: OpenStore, runId: string): Promise<readonly string[]> {
  try {
    const log = readLog(await readLines(open, runId));
    const { steps, modelCalls, totalTokens } = log.counters;
    return [
      runId,
      harmlessLine(log.started.at).slice(0, 19),
      ...[steps, modelCalls].map(String),
      reportsTokens(log.steps) ? String(totalTokens) : "-",
      log.finished?.stopReason ?? `not finished: ${openPlace(log)}`,
    ];
  } catch (error) {
    if (!(error instanceof PolyLoopError)) throw error;
    return [runId, "", "", "", "", `unreadable: ${harmlessLine(error.message)}`];
  }
}
