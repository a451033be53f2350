import { readLogInParts } from "../../session/mod.ts";
import { harmlessJson, harmlessLine } from "../../types/mod.ts";
import { type Command, UsageError } from "../_command.ts";
import { PageMeasure, pageOf } from "../_report/terminal_page.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { linesOf, readAgain, type ReadStore, readStore } from "../_store/read_store.ts";
import { table } from "../_terminal_text.ts";

/** `show`: one run on a page, or all that its log says as JSON. */
export const SHOW: Command<"run"> = {
  name: "show",
  summary: "Show a run: its steps, why it stopped, what is unknown of it",
  operands: ["run"],
  options: {
    json: { help: "the whole log as one JSON value: started, steps, open, finished, counters" },
    parameters: { help: "the settings that the run was started with, a line each" },
    store: STORE_OPTION,
  },
  details: `The bars are the size of each step's prompt, in code points, and how long the
step took, each against the largest of the run. Below a step are its actions with the
beginning of their arguments, and the attempts at its model call that failed or were
given up. A text of a model or a tool is cut to its first line; --json has all of it,
and "prompt" what the model was shown.`,
  async run(words, screen) {
    const runId = words.operand("run");
    const [json, parameters] = ["json", "parameters"].map((flag) => words.flags.has(flag));
    if (json && parameters) {
      throw new UsageError("Cannot show --json and --parameters: --json has the parameters");
    }
    const print = json ? printJson : parameters ? printParameters : printPage;
    await readStore(words, (open) => print(open, runId, screen));
    return 0;
  },
};

/** The log is read twice, and no more than a step of it is in memory: what is above the steps needs all of them. */
async function printPage(open: ReadStore, runId: string, screen: Screen): Promise<void> {
  const measure = new PageMeasure();
  const log = await readLogInParts(linesOf(open, runId), (step) => measure.add(step));
  const { top, line, bottom } = pageOf(log, measure, screen);
  screen.print(top);
  await readAgain(open, log, (step) => screen.print(line(step)));
  screen.print(bottom);
}

async function printParameters(open: ReadStore, runId: string, screen: Screen): Promise<void> {
  const { started: { parameters } } = await readLogInParts(linesOf(open, runId), () => {});
  const rows = Object.entries(parameters).map(([key, value]) =>
    [harmlessLine(key), harmlessLine(value)] as const
  );
  screen.print(table(rows).join("\n"));
}

async function printJson(open: ReadStore, runId: string, screen: Screen): Promise<void> {
  const log = await readLogInParts(linesOf(open, runId), () => {});
  screen.print(`${harmlessJson(log).slice(0, -1)},"steps":[`);
  await readAgain(open, log, (step) => {
    screen.print(`${step.stepIndex === 0 ? "" : ","}${harmlessJson(step)}`);
  });
  screen.print("]}");
}
