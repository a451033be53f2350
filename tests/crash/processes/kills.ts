import { readLog, verifyLog } from "../../../session/mod.ts";
import { DURABLE_STORES, type DurableStore, runIdOf, withDurableStore } from "./durable_store.ts";

/** What a row of kills came to. */
export interface KillReport {
  readonly kills: number;
  readonly runs: number;
  /** Entries that were acknowledged; each was found in its log. */
  readonly acknowledged: number;
  /** What was lost, or done twice; empty if all is well. */
  readonly faults: readonly string[];
}

/** How many acknowledgements of each store a process is let to make, in turn: it dies at the next moment. */
const AFTER = [1, 3, 2, 5, 1, 4];

/** Kills this many processes for each durable store; answers whether nothing was lost and nothing ran twice. */
export async function killAll(count: number, say: (line: string) => void): Promise<boolean> {
  const areWell = await Promise.all(DURABLE_STORES.map(async (store) => {
    const { kills, runs, acknowledged, faults } = await killProcesses([store], count);
    for (const fault of faults) say(fault);
    say(
      `${store}: ${kills} processes killed in ${runs} runs, ${acknowledged} entries acknowledged, faults: ${faults.length}`,
    );
    return faults.length === 0;
  }));
  return areWell.every(Boolean);
}

/** Kills processes that drive a run over each store, each at an acknowledgement, until there were so many. */
export async function killProcesses(
  stores: readonly DurableStore[],
  count: number,
): Promise<KillReport> {
  const folder = await Deno.makeTempDir({ prefix: "polyloop_kills_" });
  const faults: string[] = [];
  let [kills, runs, acknowledged, children] = [0, 0, 0, 0];
  try {
    while (kills < count) {
      const number = runs++;
      const acks: string[] = [];
      for (let killed = true; killed;) {
        const after = kills < count ? AFTER[children++ % AFTER.length]! : Infinity;
        killed = await killAt(stores, folder, number, after * stores.length, acks);
        if (killed) kills += 1;
        for (const store of stores) faults.push(...await lost(store, folder, number, acks));
      }
      acknowledged += acks.length;
      for (const store of stores) faults.push(...await twice(store, folder, number));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return { kills, runs, acknowledged, faults };
}

/** Runs a process until so many acknowledgements of it were read, then kills it; answers whether it was. */
async function killAt(
  stores: readonly DurableStore[],
  folder: string,
  number: number,
  after: number,
  acks: string[],
): Promise<boolean> {
  const path = (name: string) => decodeURI(new URL(name, import.meta.url).pathname);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        "--quiet",
        "--no-check",
        "--no-lock",
        "--config",
        path("../../../deno.json"),
        "-A",
      ],
      ...[path("kill_child.ts"), folder, `${number}`, ...stores],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const complaints = new Response(child.stderr).text();
  let text = "";
  let sent = false;
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (sent || text.split("\n").length - 1 < after) continue;
    sent = true;
    kill(child);
  }
  acks.push(...text.split("\n").slice(0, -1));
  const { success, signal } = await child.status;
  const said = await complaints;
  if (!success && signal !== "SIGKILL") throw new Error(`the process failed: ${said}`);
  return signal === "SIGKILL";
}

/** One that has come to its end meanwhile is not killed. */
function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

async function linesOf(store: DurableStore, folder: string, runId: string) {
  return await withDurableStore(store, folder, (opened) => opened.readRun(runId)) ?? [];
}

/** The entries that were acknowledged and are not there. */
async function lost(
  store: DurableStore,
  folder: string,
  number: number,
  acks: readonly string[],
): Promise<readonly string[]> {
  const runId = runIdOf(store, number);
  const lines = await linesOf(store, folder, runId);
  const kept = new Set(lines.map((line, seq) => `${runId} ${seq} ${line.slice(-73, -2)}`));
  return acks.filter((ack) => ack.startsWith(`${runId} `) && !kept.has(ack))
    .map((ack) => `entry ${ack} is lost`);
}

/** What the effects and the log of a run, held against each other, do not agree about. */
async function twice(
  store: DurableStore,
  folder: string,
  number: number,
): Promise<readonly string[]> {
  const runId = runIdOf(store, number);
  const lines = await linesOf(store, folder, runId);
  const effects = (await Deno.readTextFile(`${folder}/${runId}.effects`)).trim().split("\n");
  const { ok, fault } = verifyLog(lines);
  if (!ok) return [`${runId}: ${fault!.message}`];
  const { steps, finished } = readLog(lines);
  const faults: string[] = [];
  if (finished?.stopReason !== "final_answer") {
    faults.push(`${runId} ended for ${finished?.stopReason}`);
  }
  const actions = steps.flatMap(({ actions }) => actions);
  for (const { actionId, status, attempts } of actions) {
    const times = effects.filter((effect) => effect.startsWith(`${actionId} `)).length;
    const replayable = Number(/\/s(\d+)_/.exec(actionId)![1]) % 3 === 2;
    if (times > (replayable ? attempts : 1)) faults.push(`${actionId} was executed ${times} times`);
    if (status === "executed" && times === 0) faults.push(`${actionId} was never executed`);
  }
  const known = new Set(actions.map(({ actionId }) => actionId));
  const foreign = effects.filter((effect) => !known.has(effect.split(" ")[0]!));
  return [...faults, ...foreign.map((effect) => `${effect} is not on record`)];
}
