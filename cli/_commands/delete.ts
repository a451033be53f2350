import { readLog } from "../../session/mod.ts";
import { harmlessLine, PolyLoopError } from "../../types/mod.ts";
import { type Command, type CommandWords, UsageError } from "../_command.ts";
import { standing } from "../_report/standing.ts";
import type { Screen } from "../_screen.ts";
import { DEFAULT_STORE, type OpenStore, openStore, STORE_OPTION } from "../_store/open_store.ts";
import { readStore } from "../_store/read_store.ts";

/** `delete`: removes a run from a store, for good. */
export const DELETE: Command<"run"> = {
  name: "delete",
  summary: "Delete a run and everything kept beside it",
  operands: ["run"],
  options: {
    yes: { help: "do not ask" },
    store: STORE_OPTION,
  },
  details: `Says what became of the run and asks before it is deleted; without a terminal there is
nobody to ask, so --yes is needed. A run that another process drives is not deleted.
A run whose log is damaged is.`,
  async run(words, screen) {
    const runId = words.operand("run");
    const state = await readStore(words, (open) => stateOf(open, words));
    if (!isWanted(words, `Delete run "${harmlessLine(runId)}" (${state})?`, screen)) {
      screen.complain("nothing was deleted");
      return 1;
    }
    const open = await openStore(storeText(words));
    try {
      if (!await open.store.deleteRun(runId)) throw absentRun(words, runId);
    } finally {
      open.close();
    }
    screen.complain(`run "${harmlessLine(runId)}" is deleted`);
    return 0;
  },
};

function storeText({ values }: CommandWords): string {
  return values.get("store") ?? DEFAULT_STORE;
}

/** What is to be deleted, in words. */
async function stateOf({ store }: OpenStore, words: CommandWords<"run">): Promise<string> {
  const runId = words.operand("run");
  try {
    const lines = await store.readRun(runId);
    if (lines !== null) return harmlessLine(standing(readLog(lines)));
    if ((await store.listRuns()).includes(runId)) return "never started";
  } catch (error) {
    if (!(error instanceof PolyLoopError) || error.code === "store_failed") throw error;
    return `unreadable: ${harmlessLine(error.message)}`;
  }
  throw absentRun(words, runId);
}

function isWanted(
  { flags }: CommandWords,
  question: string,
  screen: Screen,
): boolean {
  if (flags.has("yes")) return true;
  const answer = screen.ask(`${question} [y/N] `);
  if (answer === undefined) {
    throw new UsageError("Cannot delete a run unasked: there is no terminal, so --yes is needed");
  }
  return /^y(es)?$/i.test(answer.trim());
}

function absentRun(words: CommandWords, runId: string): Error {
  return new Error(
    `Cannot delete run "${runId}" as the store ${storeText(words)} has no such run`,
  );
}
