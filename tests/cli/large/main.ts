// deno-lint-ignore-file no-console
/**
 * Reads what is large from the command line: `deno task attack` prints how long that takes and the most memory. A
 * hundred thousand runs in a folder, in SQLite and in Deno KV; a log of one GiB; a line that is larger than any reader
 * takes; a page of 5,000 steps. It needs Linux.
 *
 * @module
 */
import { jsonlStore } from "../../../stores/jsonl.ts";
import { CHROMIUM, inBrowser } from "../browser/chromium.ts";
import { PROGRAM } from "../command_line.ts";
import { makeRun } from "../made_runs.ts";
import { putManyRuns } from "./made_large.ts";

const GIB = 2 ** 30;
const RUNS = 100_000;
/** The unit of times in /proc. */
const TICKS_A_SECOND = 100;

let faults = 0;
function tell(isHeld: boolean, line: string): void {
  if (!isHeld) faults++;
  console.log(isHeld ? line : `FAULT: ${line}`);
}

/** What became of a command line, without what it wrote. */
interface Figures {
  readonly code: number;
  readonly seconds: number;
  /** How much of the processors' time it took, in seconds: what it would take alone, where it has one to itself. */
  readonly busySeconds: number;
  /** The most memory that the process held, in MB. */
  readonly mb: number;
  readonly err: string;
}

async function figuresOf(args: readonly string[]): Promise<Figures> {
  const start = performance.now();
  const [program = "", ...words] = PROGRAM;
  const child = new Deno.Command(program, {
    args: [...words, ...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let [kib, ticks] = [0, 0];
  const watch = setInterval(() => {
    try {
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      kib = Math.max(kib, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      const stat = Deno.readTextFileSync(`/proc/${child.pid}/stat`);
      const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
      ticks = Math.max(ticks, Number(user) + Number(system));
    } catch {
      // it is gone
    }
  }, 10);
  const err = await new Response(child.stderr).text();
  const { code } = await child.status;
  clearInterval(watch);
  const seconds = (performance.now() - start) / 1_000;
  const busySeconds = ticks / TICKS_A_SECOND;
  return { code, seconds, busySeconds, mb: Math.round(kib * 1024 / 1e6), err };
}

function wordsOf({ seconds, busySeconds, mb }: Figures): string {
  return `${seconds.toFixed(1)} s, ${busySeconds.toFixed(1)} s of the processors, at most ${mb} MB`;
}

async function listMany(dir: string): Promise<void> {
  const places = { folder: `${dir}/many`, sqlite: `${dir}/many.db`, kv: `${dir}/many.kv` };
  await putManyRuns(RUNS, places);
  const stores = [`jsonl:${places.folder}`, `sqlite:${places.sqlite}`, `kv:${places.kv}`];
  for (const store of stores) {
    const figures = await figuresOf(["list", "--store", store]);
    const { code, busySeconds, mb } = figures;
    const what = `list of ${RUNS} runs in ${store.split(":", 1)}`;
    tell(code === 0 && busySeconds < 10 && mb < 300, `${what}: ${wordsOf(figures)}`);
  }
}

async function readLong(dir: string): Promise<void> {
  const store = jsonlStore({ dir });
  const text = "x".repeat(300_000);
  const size = () => Deno.statSync(`${dir}/long.jsonl`).size;
  const steps = 1_300;
  const budget = {
    maxSteps: steps + 1,
    maxModelCalls: steps + 1,
    maxPromptChars: 2 ** 40,
    maxConsecutiveFailures: 1,
  };
  const replies = Array.from({ length: steps }, (_, i) => `do ${i} ${text}`);
  await makeRun(store, "long", [...replies, "answer yes"], { budget });
  tell(size() >= GIB, `a log of ${(size() / GIB).toFixed(2)} GiB`);
  const read = [["verify", "long"], ["show", "long"], ["show", "long", "--json"], ["export"]];
  for (const args of read) {
    const figures = await figuresOf([...args, "--store", `jsonl:${dir}`]);
    const { code, mb, err } = figures;
    tell(code === 0 && mb < 500, `${args.join(" ")}: ${wordsOf(figures)}${err}`);
  }
  const pages = [[], ["--steps", "0..9"], ["--steps", "0..9", "--prompts"]];
  for (const words of pages) {
    const args = ["view", "long", ...words, "--out", `${dir}/page.html`];
    const figures = await figuresOf([...args, "--store", `jsonl:${dir}`]);
    const { code, mb, err } = figures;
    const isMade = words.length === 2;
    const isHeld = isMade ? code === 0 : code === 1 && /has more than 100,000,000/.test(err);
    const done = isMade ? "" : ", refused";
    tell(isHeld && mb < 500, `view long ${words.join(" ")}${done}: ${wordsOf(figures)}`);
  }
}

/** How long a browser takes for a page of very many steps, and for as large a page of nothing but folded texts. */
async function loadPage(dir: string): Promise<void> {
  if (CHROMIUM === undefined) return console.log("no Chromium to load a page of a run in");
  const steps = 5_000;
  const text = 'The test "parses a list" fails: expected [1, 2] but got [1], see src/list.ts.\n';
  const budget = {
    maxSteps: steps,
    maxModelCalls: steps,
    maxPromptChars: 2 ** 40,
    maxConsecutiveFailures: 1,
  };
  const replies = Array.from({ length: steps - 1 }, (_, i) => `do ${i} ${text.repeat(5)}`);
  await makeRun(jsonlStore({ dir }), "steps", replies, { budget });
  const paths = [`${dir}/steps.html`, `${dir}/bare.html`] as const;
  await figuresOf(["view", "steps", "--out", paths[0], "--store", `jsonl:${dir}`]);
  const { size } = Deno.statSync(paths[0]);
  const folded = "<details><summary>step</summary><pre></pre></details>\n";
  const each = text.repeat(99).slice(0, size / steps - folded.length);
  const bare = folded.replace("<pre>", `<pre>${each}`).repeat(steps);
  Deno.writeTextFileSync(paths[1], `<!doctype html><title>bare</title>${bare}`);
  await inBrowser(async ({ open, evaluate }) => {
    const times = paths.map((): number[] => []);
    for (let round = 0; round < 5; round++) {
      for (const [i, path] of paths.entries()) {
        const start = performance.now();
        await open(`file://${path}`);
        await evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
        times[i]?.push(performance.now() - start);
      }
    }
    const [page = 0, other = 0] = times.map((each) => each.toSorted((a, b) => a - b)[2]);
    const ratio = (page / other).toFixed(2);
    const mb = (size / 1e6).toFixed(1);
    console.log(`a page of ${steps} steps, ${mb} MB: loads in ${ratio} times a bare one's time`);
  });
}

async function readLine(dir: string): Promise<void> {
  using file = Deno.openSync(`${dir}/line.jsonl`, { createNew: true, write: true });
  file.truncateSync(GIB); // a file without a byte on the disk, all of it NUL
  for (const args of [["list"], ["verify", "line"], ["export"]]) {
    const { code, mb, err } = await figuresOf([...args, "--store", `jsonl:${dir}`]);
    const isTold = args[0] === "list" || /more than \d+ bytes/.test(err);
    tell(code === 1 && isTold && mb < 700, `a line of 1 GiB, ${args[0]}: ${mb} MB; ${err.trim()}`);
  }
}

if (import.meta.main) {
  for (const measure of [listMany, readLong, readLine, loadPage]) {
    const dir = await Deno.makeTempDir();
    try {
      await measure(dir);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  }
  console.log(`${faults} faults`);
  Deno.exit(faults === 0 ? 0 : 1);
}
