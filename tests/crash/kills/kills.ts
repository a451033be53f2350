import { readLog, verifyLog } from "../../../session/mod.ts";
import { DURABLE_STORES, type DurableStore, withDurableStore } from "./durable_store.ts";

/** What a row of kills came to. */
export interface KillReport {
  readonly store: DurableStore;
  readonly kills: number;
  readonly runs: number;
  /** Entries that were acknowledged; each was found in its log. */
  readonly acknowledged: number;
  /** What was lost, or done twice; empty if all is well. */
  readonly faults: readonly string[];
}

/** How many acknowledgements each process is let to make, in turn: it dies at the next moment. */
const AFTER = [1, 3, 2, 5, 1, 4];

/** Kills this many processes for each durable store; answers whether nothing was lost and nothing ran twice. */
export async function killAll(count: number, say: (line: string) => void): Promise<boolean> {
  const reports = await Promise.all(DURABLE_STORES.map((store) => killProcesses(store, count)));
  for (const { store, kills, runs, acknowledged, faults } of reports) {
    for (const fault of faults) say(`${store}: ${fault}`);
    say(
      `${store}: ${kills} processes killed in ${runs} runs, ${acknowledged} entries acknowledged, faults: ${faults.length}`,
    );
  }
  return reports.every(({ faults }) => faults.length === 0);
}

/** Kills processes that drive runs over a store, each at an acknowledgement, until there were so many. */
export async function killProcesses(store: DurableStore, count: number): Promise<KillReport> {
  const folder = await Deno.makeTempDir({ prefix: "polyloop_kills_" });
  const faults: string[] = [];
  let [kills, runs, acknowledged, children] = [0, 0, 0, 0];
  try {
    while (kills < count) {
      const runId = `run-${runs++}`;
      const acks: string[] = [];
      for (let killed = true; killed;) {
        const after = kills < count ? AFTER[children++ % AFTER.length]! : Infinity;
        killed = await killAt(store, folder, runId, after, acks);
        if (killed) kills += 1;
        const lines = await withDurableStore(store, folder, (it) => it.readRun(runId)) ?? [];
        faults.push(...lost(lines, acks).map((fault) => `${runId}: ${fault}`));
      }
      acknowledged += acks.length;
      const lines = await withDurableStore(store, folder, (it) => it.readRun(runId)) ?? [];
      const effects = await Deno.readTextFile(`${folder}/${runId}.effects`);
      faults.push(...twice(lines, effects.trim().split("\n")).map((fault) => `${runId}: ${fault}`));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return { store, kills, runs, acknowledged, faults };
}

/** Runs a process until so many acknowledgements of it were read, then kills it; answers whether it was. */
async function killAt(
  store: DurableStore,
  folder: string,
  runId: string,
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
      ...[path("kill_child.ts"), store, folder, runId],
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

function lost(lines: readonly string[], acks: readonly string[]): readonly string[] {
  const kept = new Set(lines.map((line, seq) => `${seq} ${line.slice(-73, -2)}`));
  return acks.filter((ack) => !kept.has(ack)).map((ack) => `entry ${ack} is lost`);
}

/** What the effects and the log, held against each other, do not agree about. */
function twice(lines: readonly string[], effects: readonly string[]): readonly string[] {
  const { ok, fault } = verifyLog(lines);
  if (!ok) return [fault!.message];
  const { steps, finished } = readLog(lines);
  const faults: string[] = [];
  if (finished?.stopReason !== "final_answer") faults.push(`it ended for ${finished?.stopReason}`);
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
