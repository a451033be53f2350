import { assert, assertMatch } from "@std/assert";
import { readLog, type RunLog } from "../../../session/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { readPages } from "../../docs/pages.ts";
import { commandLine, type CommandOutput } from "../command_line.ts";

const ROOT = new URL("../../../", import.meta.url);

/** A process of the command line that runs, and what it says. */
export interface LiveProcess {
  /** Sends it a signal, and waits until it says that it was heard, or has ended. */
  interrupt(signal: Deno.Signal): Promise<void>;
  /** What it gave, once it has ended. */
  readonly ended: Promise<CommandOutput>;
}

/** The project of the guide to one's own agent, with the agent of the guide. */
export interface AgentProject extends AsyncDisposable {
  /** Starts a process that drives the agent's run. */
  start(verb: "run" | "resume"): LiveProcess;
  /** Drives it in this process. */
  drive(verb: "run" | "resume"): Promise<CommandOutput>;
  /** Runs a command line on the store of the agent's run. */
  read(...words: readonly string[]): Promise<CommandOutput>;
  /** What the log of the agent's run says. */
  log(): Promise<RunLog>;
}

/** Makes the project, with the server at an address; `change` may change the agent. */
export async function agentProject(
  address: string,
  change: (source: string) => string = (source) => source,
): Promise<AgentProject> {
  const page = (await readPages()).find(({ path }) => path === "docs/own_agent.md");
  const block = (language: string): string => {
    const found = page?.blocks.find((each) => each.language === language);
    assert(found !== undefined, `the guide has no ${language}`);
    return found.text.replaceAll("localhost:11434", address);
  };
  const dir = await Deno.makeTempDir();
  const [agent, store] = [`${dir}/agent.ts`, `${dir}/.polyloop`];
  // By the path of the checkout itself, under which Deno has compiled it before.
  const links = block("json").replace("../polyloop", ROOT.pathname.replace(/\/$/, ""));
  await Deno.writeTextFile(`${dir}/deno.json`, links);
  await Deno.writeTextFile(agent, change(inItsFolder(block("ts"))));
  return {
    start: (verb) => startIn(dir, [verb, "agent.ts"]),
    drive: (verb) => commandLine(verb, agent),
    read: (...words) => commandLine(...words, "--store", `jsonl:${store}`),
    async log() {
      const lines = await jsonlStore({ dir: store }).readRun("imports-1");
      assert(lines !== null, "there is no log");
      return readLog(lines);
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(dir, { recursive: true });
    },
  };
}

/** The guide's agent, in whatever folder its process is. */
function inItsFolder(source: string): string {
  const changed = source
    .replace('dir: ".polyloop"', "dir: `${import.meta.dirname}/.polyloop`")
    .replace("readTextFile(name)", "readTextFile(`${import.meta.dirname}/${name}`)");
  assertMatch(changed, /dirname}\/\$\{name}[^]*dirname}\/\.polyloop/);
  return changed;
}

function startIn(dir: string, words: readonly string[]): LiveProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "@polyloop/polyloop/cli", ...words],
    cwd: dir,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  let err = "";
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  const read = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      err += text;
      if (err.includes("interrupted: suspending")) hear();
    }
    hear();
  })();
  const out = new Response(child.stdout).text();
  const ended = (async () => {
    const { code } = await child.status;
    await read;
    return { code, out: await out, err };
  })();
  return {
    async interrupt(signal) {
      try {
        child.kill(signal);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has ended before
      }
      await heard;
    },
    ended,
  };
}
