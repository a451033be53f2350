import { readLog, verifyLog } from "../../../session/mod.ts";
import { DURABLE_STORES, type DurableStore, runIdOf, withDurableStore } from "./durable_store.ts";
import type { Deed } from "./rival_child.ts";

/** What became of runs that two processes were at. */
export interface RivalReport {
  /** Calls and actions that reached the world. */
  readonly deeds: number;
  /** What happened twice, was told or asked of a run that its driver had, or is not on record; empty if all is well. */
  readonly faults: readonly string[];
  /** The longest time that a run waited whose driver was killed, in leases. Absent: none was killed. */
  readonly waited?: number;
}

/** How many leases a run may wait for another driver. */
const MOST_WAITED = 1.5;

interface Child {
  readonly deeds: readonly Deed[];
  /** Resolves at so many calls and actions. */
  reaches(count: number): Promise<void>;
  kill(): void;
  readonly ended: Promise<void>;
}

/**
 * Has a process drive runs over each store while another one goes on with every unfinished run, five times a second.
 *
 * @param killAfter At how many calls and actions of a run, by and large, the driver is killed; the other one then carries
 * all runs to their end. Absent: it is left alone, and the other one must find nothing to do.
 */
export async function rivals(
  stores: readonly DurableStore[],
  { runs, leaseMs, killAfter }: {
    readonly runs: number;
    readonly leaseMs: number;
    readonly killAfter?: number;
  },
): Promise<RivalReport> {
  const folder = await Deno.makeTempDir({ prefix: "polyloop_rivals_" });
  const start = (role: "drive" | "recover") =>
    startChild([role, folder, `${runs}`, `${leaseMs}`, ...stores]);
  const [driver, other] = [start("drive"), start("recover")];
  try {
    let killedAt = Infinity;
    if (killAfter !== undefined) {
      await driver.reaches(killAfter * runs * stores.length);
      killedAt = Date.now();
      driver.kill();
    }
    await Promise.all([driver.ended, other.ended]);
    const deeds = [...driver.deeds, ...other.deeds];
    const faults = [...tooEarly(other.deeds, killedAt)];
    for (const store of stores) {
      const own = deeds.filter(({ id }) => id.startsWith(`${store}-`));
      faults.push(...await faultsOnRecord(store, folder, runs, own));
    }
    const waited = Math.max(...firstDeeds(other.deeds).map((at) => at - killedAt)) / leaseMs;
    return {
      deeds: deeds.filter(reachesWorld).length,
      faults,
      ...(killAfter !== undefined && { waited }),
    };
  } finally {
    driver.kill();
    other.kill();
    await Promise.allSettled([driver.ended, other.ended]);
    await Deno.remove(folder, { recursive: true });
  }
}

/** Prints what two processes come to, over each store, with the driver left alone and killed; whether all is well. */
export async function rivalsOverAll(
  runs: number,
  say: (line: string) => void,
): Promise<boolean> {
  const leaseMs = 3_000;
  let isWell = true;
  for (const store of DURABLE_STORES) {
    for (const more of [{}, { killAfter: 5 }]) {
      const { deeds, faults, waited = 0 } = await rivals([store], { runs, leaseMs, ...more });
      for (const fault of faults) say(`${store}: ${fault}`);
      const end = waited === 0 ? "" : `, taken over within ${waited.toFixed(2)} leases`;
      say(`${store}: ${runs} runs, ${deeds} calls and actions, faults: ${faults.length}${end}`);
      isWell &&= faults.length === 0 && waited <= MOST_WAITED;
    }
  }
  return isWell;
}

function startChild(words: readonly string[]): Child {
  const path = (name: string) => decodeURI(new URL(name, import.meta.url).pathname);
  const options = ["run", "--quiet", "--no-check", "--no-lock", "--unstable-kv", "-A"];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...options, "--config", path("../../../deno.json"), path("rival_child.ts"), ...words],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const complaints = new Response(child.stderr).text();
  const deeds: Deed[] = [];
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  let wanted = Infinity;
  async function listen(): Promise<void> {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      deeds.push(...lines.map((line) => JSON.parse(line)));
      if (deeds.filter(reachesWorld).length >= wanted) reach();
    }
    const { success, signal } = await child.status;
    const said = await complaints;
    reach();
    if (!success && signal !== "SIGKILL") throw new Error(`${words[0]} failed: ${said}`);
  }
  return {
    deeds,
    reaches(count) {
      wanted = count;
      return reached;
    },
    kill() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
    },
    ended: listen(),
  };
}

function reachesWorld({ what }: Deed): boolean {
  return what === "call" || what === "action";
}

/** What was done, told or asked by the process that had to wait. */
function tooEarly(deeds: readonly Deed[], killedAt: number): readonly string[] {
  return deeds.filter(({ at }) => at < killedAt)
    .map(({ what, id }) => `the other process had a ${what} of ${id} while its driver lived`);
}

/** When each run was gone on with. */
function firstDeeds(deeds: readonly Deed[]): readonly number[] {
  const events = deeds.filter(({ what }) => what === "event");
  return [...Map.groupBy(events, ({ id }) => id).values()].map(([first]) => first!.at);
}

/** What the deeds and the logs, held against each other, do not agree about. */
async function faultsOnRecord(
  store: DurableStore,
  folder: string,
  runs: number,
  deeds: readonly Deed[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const times = new Map<string, number>();
  for (const { what, id } of deeds.filter(reachesWorld)) {
    times.set(`${what} ${id}`, (times.get(`${what} ${id}`) ?? 0) + 1);
  }
  await withDurableStore(store, folder, async (opened) => {
    for (let number = 0; number < runs; number++) {
      const runId = runIdOf(store, number);
      const lines = await opened.readRun(runId) ?? [];
      const { ok, fault } = verifyLog(lines);
      if (!ok) faults.push(fault!.message);
      const { steps, finished } = readLog(lines);
      if (finished?.stopReason !== "final_answer") faults.push(`${runId} has no answer`);
      for (const { modelCallId, modelAttempts, actions } of steps) {
        const called = { deed: `call ${modelCallId}`, attempts: modelAttempts };
        const acted = actions.map(({ actionId, attempts }) => ({
          deed: `action ${actionId}`,
          attempts,
        }));
        for (const { deed, attempts } of [called, ...acted]) {
          const count = times.get(deed) ?? 0;
          times.delete(deed);
          if (count > attempts) faults.push(`${deed} was made ${count} times of ${attempts}`);
        }
      }
    }
  });
  return [...faults, ...[...times.keys()].map((deed) => `${deed} is not on record`)];
}
