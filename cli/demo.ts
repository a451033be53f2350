import { consoleEvents } from "../adapters/console_events.ts";
import type { RunEvent } from "../ports/mod.ts";
import { readLog, type RunLog, verifyLog } from "../session/mod.ts";
import { jsonlStore } from "../stores/jsonl.ts";
import type { DemoPlan } from "./_demo_agent.ts";
import { print } from "./_print.ts";
import { stepTable } from "./_step_table.ts";

/** The help of `demo`. */
export const DEMO_HELP = `Usage: demo [--dir PATH] [--store PATH] [--model URL --model-name NAME]

Asks an agent which modules of a folder export the most symbols and which folder
imports which. Its code runs in a sandbox that may read that folder alone. Midway
the process that drives the run is killed; another one resumes it.

  --dir PATH         the folder that the question is about (default: this one)
  --store PATH       where the log goes (default: .polyloop in this folder)
  --model URL        an OpenAI-compatible server, such as http://localhost:11434/v1;
                     its key, if it needs one, is read from POLYLOOP_API_KEY
                     (default: a policy that needs no model)
  --model-name NAME  the model to ask for`;

/** Which of the driver's actions the kill interrupts, from 0. */
const KILLED_ACTION = 1;

/**
 * The main job, shown: a run, a kill, a resume, an answer.
 *
 * @returns The exit code: 0 if the question was answered.
 */
export async function demo(plan: DemoPlan): Promise<number> {
  print(`run ${plan.runId}: what exports most in ${plan.dir}, and what imports what?\n`);
  const killed = await drive("run", plan, KILLED_ACTION);
  if (killed) {
    print(`\n✂ SIGKILL: the process that drove the run is dead\n`);
    print(`the log says: ${await foundBy(plan)}\n`);
    await drive("resume", plan);
  } else {
    print("\nthe run was over before it could be killed");
  }
  const lines = await jsonlStore({ dir: plan.store }).readRun(plan.runId);
  const log = readLog(lines ?? []);
  report(log, plan, verifyLog(lines ?? []).ok);
  return log.finished?.stopReason === "final_answer" ? 0 : 1;
}

/** Runs a driver process, shows its events, and kills it during an action; tells whether it did. */
async function drive(
  verb: "run" | "resume",
  plan: DemoPlan,
  killedAction = Infinity,
): Promise<boolean> {
  const driver = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "-A",
      import.meta.resolve("./_demo_driver.ts"),
      verb,
      JSON.stringify(plan),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const shown = consoleEvents({ output: Deno.stdout, isTerminal: false });
  let actions = 0;
  let killed = false;
  for await (const event of eventsOf(driver.stdout)) {
    if (killed) continue;
    await shown.emit(event);
    if (event.type === "action_started" && actions++ === killedAction) {
      driver.kill("SIGKILL");
      killed = true;
    }
  }
  const { code } = await driver.status;
  if (code !== 0 && !killed) throw new Error(`the driver process ended with code ${code}`);
  return killed;
}

async function* eventsOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<RunEvent> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}

/** What a resume will find, in words. */
async function foundBy({ store, runId }: DemoPlan): Promise<string> {
  const { steps, open } = readLog(await jsonlStore({ dir: store }).readRun(runId) ?? []);
  const recorded = steps.length === 1 ? "1 step is recorded" : `${steps.length} steps are recorded`;
  if (open === undefined) return `${recorded}; none is open, so the next step begins`;
  if (open.openAction !== undefined) {
    return `${recorded}; step ${open.stepIndex} is open: action ${open.openAction.actionId} was about to run, and ` +
      `nobody knows whether it did. It may not be repeated blindly: it is recorded as unknown, and the model is told`;
  }
  return `${recorded}; step ${open.stepIndex} is open and waits for its ${open.awaits}`;
}

function report(log: RunLog, { store, runId }: DemoPlan, verified: boolean): void {
  print("");
  for (const line of stepTable(log.steps)) print(line);
  const unknown = log.steps.filter(({ outcome }) => outcome.endsWith("_unknown"));
  print(`\nstopped: ${log.finished?.stopReason ?? "not finished"}`);
  print(
    `unknown: ${
      unknown.length === 0 ? "nothing" : unknown.map((step) => `step ${step.stepIndex}`).join(", ")
    }`,
  );
  print(
    `log:     ${store}/${runId}.jsonl (${log.entries} entries, ${
      verified ? "verified" : "NOT verified"
    })`,
  );
  print(`head:    ${log.logHead}`);
  if (typeof log.finished?.answer === "string") print(`\n${log.finished.answer}`);
}
