import { consoleEvents } from "../../adapters/console_events.ts";
import { readLog, verifyLog } from "../../session/mod.ts";
import { present } from "../../types/mod.ts";
import { type Command, type CommandWords, UsageError } from "../_command.ts";
import type { DemoPlan } from "../_demo/agent.ts";
import type { DriverLine } from "../_demo/driver.ts";
import { terminalPage } from "../_report/terminal_page.ts";
import { openWords } from "../_report/standing.ts";
import type { Screen } from "../_screen.ts";
import { DEFAULT_STORE, openStore, STORE_OPTION, storeName } from "../_store/open_store.ts";

/** `demo`: the main job, shown: a run, a kill, a resume, an answer. */
export const DEMO: Command = {
  name: "demo",
  summary: "See a run, a crash and a resume",
  operands: [],
  options: {
    dir: { value: "PATH", help: "the folder that the question is about (default: this one)" },
    model: {
      value: "URL",
      help: `an OpenAI-compatible server, such as http://localhost:11434/v1; its key, if it
needs one, is read from POLYLOOP_API_KEY (default: a policy that needs no model)`,
    },
    "model-name": { value: "NAME", help: "the model to ask for" },
    store: STORE_OPTION,
  },
  details: `Asks an agent which modules of a folder export the most symbols and which folder
imports which. Its code runs in a sandbox that may read that folder alone. Midway
the process that drives the run is killed; another one resumes it.`,
  run: (words, screen) => demo(demoPlan(words), screen),
};

/** Which of the driver's actions the kill interrupts, from 0. */
const KILLED_ACTION = 1;

function demoPlan({ values }: CommandWords): DemoPlan {
  const [dir = ".", url, name] = ["dir", "model", "model-name"].map((key) => values.get(key));
  if ((url === undefined) !== (name === undefined)) {
    throw new UsageError("Cannot ask a model as --model and --model-name go together");
  }
  const store = values.get("store") ?? DEFAULT_STORE;
  storeName(store);
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  return present({
    runId: `demo-${stamp}`,
    dir: realFolder(dir),
    store,
    model: url === undefined || name === undefined ? undefined : { url, name },
  });
}

function realFolder(path: string): string {
  let isFolder: boolean;
  try {
    isFolder = Deno.statSync(path).isDirectory;
  } catch (cause) {
    throw new Error(`Cannot ask about "${path}" as there is no such folder`, { cause });
  }
  if (!isFolder) throw new Error(`Cannot ask about "${path}" as it is not a folder`);
  return Deno.realPathSync(path);
}

async function demo(plan: DemoPlan, screen: Screen): Promise<number> {
  const { runId, dir } = plan;
  screen.print(`run ${runId}: what exports most in ${dir}, and what imports what?\n`);
  const killed = await drive("run", plan, screen, KILLED_ACTION);
  if (killed) {
    const found = openWords(readLog(await linesOf(plan)));
    screen.print(`\n✂ SIGKILL: the process that drove the run is dead\n\nthe log says: ${found}\n`);
    await drive("resume", plan, screen);
  } else {
    screen.print("\nthe run was over before it could be killed");
  }
  const lines = await linesOf(plan);
  const log = readLog(lines);
  screen.print(`\n${terminalPage(log, screen)}`);
  const verdict = verifyLog(lines).ok ? "verified" : "NOT verified";
  screen.print(`\n${verdict}; to see it again: ${showCommand(plan)}`);
  return log.finished?.stopReason === "final_answer" ? 0 : 1;
}

/** The command that shows the run again; `prompt`, `verify` and `export` take the same words. */
function showCommand({ runId, store }: DemoPlan): string {
  const { protocol, pathname } = new URL(import.meta.resolve("../mod.ts"));
  const here = `${Deno.cwd()}/`;
  const path = decodeURIComponent(pathname);
  const program = protocol !== "file:"
    ? "jsr:@polyloop/polyloop/cli"
    : path.startsWith(here)
    ? path.slice(here.length)
    : path;
  const words = store === DEFAULT_STORE ? "" : ` --store ${store}`;
  return `deno run -A ${program} show ${runId}${words}`;
}

/** Runs a driver process, shows its events, and kills it during an action; tells whether it did. */
async function drive(
  verb: "run" | "resume",
  plan: DemoPlan,
  { output, columns }: Screen,
  killedAction = Infinity,
): Promise<boolean> {
  const driver = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--unstable-kv",
      "-A",
      import.meta.resolve("../_demo/driver.ts"),
      verb,
      JSON.stringify(plan),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const shown = consoleEvents({ output, columns });
  let actions = 0;
  let killed = false;
  let failure: string | undefined;
  try {
    for await (const event of linesFrom(driver.stdout)) {
      if (killed) continue;
      if (event.type === "driver_failed") {
        failure = event.reason;
        continue;
      }
      await shown.emit(event);
      if (event.type === "action_started" && actions++ === killedAction) {
        killed = end(driver);
      }
    }
  } catch (error) {
    end(driver);
    throw error;
  }
  const { code } = await driver.status;
  if (failure !== undefined) throw new Error(failure);
  if (code !== 0 && !killed) throw new Error(`the driver process ended with code ${code}`);
  return killed;
}

/** Kills a driver; tells whether it had not ended by itself before. */
function end(driver: Deno.ChildProcess): boolean {
  try {
    driver.kill("SIGKILL");
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function* linesFrom(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<DriverLine> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

async function linesOf({ store, runId }: DemoPlan): Promise<readonly string[]> {
  const open = await openStore(store);
  try {
    return await open.store.readRun(runId) ?? [];
  } finally {
    open.close();
  }
}
