/**
 * Prints what the PostgreSQL store costs on a server that it starts: runs by 1 and by 8 drivers, each against bare
 * inserts of the same bytes with the same barriers in the same round; the other stores beside it; and what runs leave in
 * the database.
 *
 * @module
 */
import type { RunStore } from "../../../mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { kvStore } from "../../../stores/kv.ts";
import { type PostgresClient, postgresSchema, postgresStore } from "../../../stores/postgres.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import type { WriteLine } from "../../bench/bare_log.ts";
import { bareRuns, libraryRuns, startOf } from "../../bench/bench_runs.ts";
import { race, wallMs } from "../../bench/measure.ts";
import { say } from "../../tasks/say.ts";
import type { PoolClient } from "./npm_clients.ts";
import { newSchema } from "./store_cases.ts";
import { hasServer, startServer } from "./server.ts";

const STEPS = 20;
const ROUNDS = 15;
const ROUNDS_BESIDE = 5;
const RUNS_KEPT = 200;
/** Connections of the pool. */
const SESSIONS = 8;
/** Steps of the runs by which each session gets to know a store. */
const STEPS_BEFORE = 5;

/** Inserts lines bare: one statement each, of which those that are no barrier wait for no disk. */
function bareInserts(client: PostgresClient): WriteLine {
  const insert = "INSERT INTO floor (line) ";
  const lazily = `WITH lazy AS (SELECT set_config('synchronous_commit', 'off', true))
    ${insert} SELECT $1 FROM lazy`;
  return async (line, isBarrier) => {
    await client.query(isBarrier ? `${insert} VALUES ($1)` : lazily, [line]);
  };
}

/**
 * Makes a store over a schema of its own in which each session of the pool has run the function before: the first time
 * it compiles it and plans its statements, which it does once for as long as it lives.
 */
async function knownStore(pool: PoolClient): Promise<RunStore> {
  const store = postgresStore(await newSchema(pool));
  await libraryRuns(store, STEPS_BEFORE, SESSIONS);
  for (const runId of await store.listRuns()) await store.deleteRun(runId);
  return store;
}

/** Races the store against bare inserts of the same bytes, by so many drivers. */
async function againstFloor(pool: PoolClient, started: string, drivers: number): Promise<void> {
  const stores: RunStore[] = [];
  for (let round = 0; round < ROUNDS; round++) stores.push(await knownStore(pool));
  await bareRuns(STEPS_BEFORE, started, () => bareInserts(pool), SESSIONS);
  const { subject, floor, median } = await race(
    wallMs,
    ROUNDS,
    () => libraryRuns(stores.pop()!, STEPS, drivers),
    () => bareRuns(STEPS, started, () => bareInserts(pool), drivers),
  );
  say(
    `${drivers} drivers: ${(1 / median).toFixed(2)} of bare inserts (median of ${ROUNDS}); ` +
      `best rounds ${stepsPerSecond(subject, drivers)} and ${stepsPerSecond(floor, drivers)} ` +
      "steps a second",
  );
}

/** How fast each store is in the best of a few rounds, taken by turns. */
async function besideOthers(pool: PoolClient, dir: string, drivers: number): Promise<void> {
  const best = new Map<string, number>();
  for (let round = 0; round < ROUNDS_BESIDE; round++) {
    const path = Deno.makeTempDirSync({ dir });
    using kv = await Deno.openKv(`${path}/runs.kv`);
    const stores: Readonly<Record<string, RunStore>> = {
      jsonl: jsonlStore({ dir: `${path}/runs` }),
      sqlite: sqliteStore({ path: `${path}/runs.db` }),
      kv: kvStore({ kv }),
      postgres: await knownStore(pool),
    };
    for (const [name, store] of Object.entries(stores)) {
      const start = wallMs();
      await libraryRuns(store, STEPS, drivers);
      best.set(name, Math.min(best.get(name) ?? Infinity, wallMs() - start));
    }
  }
  const rates = [...best].map(([name, ms]) => `${name} ${stepsPerSecond(ms, drivers)}`);
  say(`${drivers} drivers, steps a second: ${rates.join(", ")}`);
}

function stepsPerSecond(ms: number, drivers: number): number {
  return Math.round((STEPS * drivers * 1_000) / ms);
}

/** Prints what runs leave in the database. */
async function sizes(pool: PoolClient): Promise<void> {
  await pool.query(postgresSchema());
  await libraryRuns(postgresStore({ client: pool }), STEPS, RUNS_KEPT);
  const { rows: [sizes] } = await pool.query(`SELECT
    pg_total_relation_size('polyloop_v1_entries')::int AS "bytes of entries",
    (SELECT sum(octet_length(line))::int FROM polyloop_v1_entries) AS "bytes of lines",
    (SELECT count(*)::int FROM polyloop_v1_entries) AS entries`);
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows: [updates] } = await pool.query(`SELECT
    n_tup_upd::int AS updates, n_tup_hot_upd::int AS "that touched no index"
    FROM pg_stat_user_tables WHERE relname = 'polyloop_v1_runs' AND schemaname = 'public'`);
  say(`${RUNS_KEPT} runs of ${STEPS} steps: ${JSON.stringify({ ...sizes, ...updates })}`);
}

if (!hasServer()) Deno.exit();
const dir = Deno.makeTempDirSync();
await using server = await startServer();
const pool = server.pool({ max: SESSIONS });
await pool.query(
  "CREATE TABLE floor (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, line text)",
);
const { started } = await startOf();
for (const drivers of [1, 8]) await againstFloor(pool, started, drivers);
for (const drivers of [1, 8, 64]) await besideOthers(pool, dir, drivers);
await sizes(pool);
Deno.removeSync(dir, { recursive: true });
