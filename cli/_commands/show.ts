import { readLog } from "../../session/mod.ts";
import { harmlessJson } from "../../types/mod.ts";
import type { Command } from "../_command.ts";
import { runPage } from "../_report/run_page.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { readLines, readStore } from "../_store/read_store.ts";

/** `show`: one run on a page, or all that its log says as JSON. */
export const SHOW: Command<"run"> = {
  name: "show",
  summary: "Show a run: its steps, why it stopped, what is unknown of it",
  operands: ["run"],
  options: {
    json: { help: "the whole log as one JSON value: started, steps, open, finished, counters" },
    store: STORE_OPTION,
  },
  details: `The bars are the size of each step's prompt, in code points, and how long the
step took, each against the largest of the run. A text of a model or a tool is cut
to its first line; --json has all of it, and "prompt" what the model was shown.`,
  async run(words, screen) {
    const runId = words.operand("run");
    const log = readLog(await readStore(words, (open) => readLines(open, runId)));
    screen.print(words.flags.has("json") ? harmlessJson(log) : runPage(log, screen));
    return 0;
  },
};
