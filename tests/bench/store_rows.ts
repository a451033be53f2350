import type { RunStore } from "../../mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { kvStore } from "../../stores/kv.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { bareRuns, libraryRuns, startOf } from "./bench_runs.ts";
import { type Effort, microseconds, race, type Row, wallMs } from "./measure.ts";
import { bareFile, bareKv, bareTable, type FloorLog } from "./store_floors.ts";

const STEPS = 100;
const STEPS_OF_MANY = 20;

/** A store and its floor, each opened in a new folder for each round; what opening takes counts on both sides. */
interface Contest {
  readonly name: string;
  readonly goal: number;
  open(folder: string): OpenStore | Promise<OpenStore>;
  openFloor(folder: string): FloorLog | Promise<FloorLog>;
}

interface OpenStore {
  readonly store: RunStore;
  close?(): void;
}

const CONTESTS: readonly Contest[] = [
  {
    name: "jsonl",
    goal: 0.85,
    open: (dir) => ({ store: jsonlStore({ dir }) }),
    openFloor: bareFile,
  },
  {
    name: "sqlite",
    goal: 0.8,
    open: (dir) => ({ store: sqliteStore({ path: `${dir}/runs.db` }) }),
    openFloor: bareTable,
  },
  {
    name: "kv",
    goal: 0.8,
    async open(dir) {
      const kv = await Deno.openKv(`${dir}/kv.db`);
      return { store: kvStore({ kv }), close: () => kv.close() };
    },
    openFloor: bareKv,
  },
];

/** The durable stores, one run, against a bare write of the same bytes with the same barriers; then many runs. */
export async function storeRows({ fewRounds }: Effort): Promise<readonly Row[]> {
  const folder = Deno.makeTempDirSync();
  try {
    const rows: Row[] = [];
    for (const contest of CONTESTS) rows.push(await oneRun(contest, folder, fewRounds * 2));
    for (const concurrency of [64, 200]) rows.push(await manyRuns(concurrency, folder, fewRounds));
    return rows;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function oneRun(contest: Contest, folder: string, rounds: number): Promise<Row> {
  const { name, goal } = contest;
  const { started } = await startOf();
  const best = await race(wallMs, rounds, async () => {
    const { store, close } = await contest.open(newFolder(folder));
    await libraryRuns(store, STEPS);
    close?.();
  }, async () => {
    const { write, close } = await contest.openFloor(newFolder(folder));
    await bareRuns(STEPS, started, () => write);
    close();
  });
  return {
    name: `${name}: floor ÷ one run of ${STEPS} steps`,
    value: 1 / best.median,
    unit: "ratio",
    goal: { atLeast: goal },
    detail: `best rounds: ${microseconds(best.floor, STEPS)} ÷ ${
      microseconds(best.subject, STEPS)
    }`,
  };
}

/** Steps in a second of many runs that share a SQLite store, against those of one run that has it alone. */
async function manyRuns(concurrency: number, folder: string, rounds: number): Promise<Row> {
  const storeIn = () => sqliteStore({ path: `${newFolder(folder)}/runs.db` });
  const best = await race(
    wallMs,
    rounds,
    () => libraryRuns(storeIn(), STEPS_OF_MANY, concurrency),
    () => libraryRuns(storeIn(), STEPS),
  );
  const steps = STEPS_OF_MANY * concurrency;
  return {
    name: `sqlite: ${concurrency} concurrent runs ÷ one run, steps per second`,
    value: steps / STEPS / best.median,
    unit: "ratio",
    goal: { atLeast: 8 },
    detail: `best rounds: ${microseconds(best.subject, steps)} against ${
      microseconds(best.floor, STEPS)
    }`,
  };
}

function newFolder(folder: string): string {
  return Deno.makeTempDirSync({ dir: folder });
}
