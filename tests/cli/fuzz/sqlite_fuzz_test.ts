import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { drawing } from "../../types/json_values.ts";
import { leaveOpen, makeRun } from "../made_runs.ts";
import { damagedBytes, type Draw, oneOf } from "./damage.ts";
import { readByCommands, readByStore } from "./read_all.ts";

const RUNS = ["done", "open"];

async function soundDatabase(): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  await inTempFolder(async (dir) => {
    const store = sqliteStore({ path: `${dir}/runs` });
    await makeRun(store, "done");
    await leaveOpen(store, "open");
    bytes = Deno.readFileSync(`${dir}/runs`);
  });
  return bytes;
}

const NUMBERS: readonly [string, ...string[]] = [
  "0",
  ...["-1", "1", "2", "7", "9e18", "-9223372036854775807", "id", "-id", "run", "seq", "previous"],
];
const TEXTS: readonly [string, ...string[]] = [
  "''",
  ...["'x'", "'{}'", "char(0)", "char(27) || '[2J'", "'../up'", "char(8232)", "hex(randomblob(9))"],
  ...["upper(line)", "substr(line, 1, 40)", "line || 'x'", "CAST(x'ff00fe' AS TEXT)"],
];

/** A statement that changes tables as no store does. */
function damagingSql(draw: Draw): string {
  const number = () => oneOf(draw, NUMBERS);
  const some = `WHERE id % ${1 + draw(4)} = ${draw(2)}`;
  return oneOf<() => string>(draw, [
    () => `UPDATE OR REPLACE entries SET id = ${number()} ${some}`,
    () => `UPDATE OR REPLACE entries SET previous = ${number()} ${some}`,
    () => `UPDATE entries SET seq = ${number()} ${some}`,
    () => `UPDATE entries SET run = ${number()} ${some}`,
    () => `UPDATE entries SET line = ${oneOf(draw, TEXTS)} ${some}`,
    () => `UPDATE entries SET token = '' ${some}`,
    () => `DELETE FROM entries ${some}`,
    () => `UPDATE OR REPLACE runs SET id = ${oneOf(draw, ["0", "-1", "7", "-id", "9e18"])} ${some}`,
    () => `INSERT OR IGNORE INTO runs (run_id) VALUES (${oneOf(draw, ["''", "'x'", "char(27)"])})`,
    () => `UPDATE runs SET finished = ${oneOf(draw, ["1", "0", "-7"])}`,
    () => "DELETE FROM runs",
    () => "DROP TABLE entries",
    () => "DROP TABLE runs; CREATE VIEW runs AS SELECT 1 AS id, 'done' AS run_id, 0 AS finished",
    () => "ALTER TABLE entries RENAME COLUMN line TO text",
    () => "DROP TABLE entries; CREATE TABLE entries (id, previous, run, seq, token, line)",
    () =>
      "DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r LIMIT 9) SELECT id, 'r' || id AS run_id, 0 AS finished FROM r",
    () => "PRAGMA user_version = 9",
    () => "PRAGMA application_id = 9",
    () => "PRAGMA journal_mode = DELETE",
  ])();
}

function putDamaged(path: string, sound: Uint8Array, draw: Draw): void {
  if (draw(2) === 0) {
    Deno.writeFileSync(path, damagedBytes(sound, draw));
  } else {
    Deno.writeFileSync(path, sound);
    const database = new DatabaseSync(path);
    for (let left = 1 + draw(3); left > 0; left--) {
      try {
        database.exec(damagingSql(draw));
      } catch {
        // what a change before has left no place for
      }
    }
    database.close();
  }
  if (draw(4) > 0) return;
  const beside = `${path}${oneOf(draw, ["-wal", "-journal", "-shm"])}`;
  Deno.writeFileSync(beside, damagedBytes(sound.subarray(0, draw(9_000)), draw));
}

const rounds = fuzzRounds(2_000);
Deno.test(`the readers give data or a typed error of each of ${rounds} damaged files of SQLite, and change none`, async () => {
  const sound = await soundDatabase();
  const draw = drawing(20_260_109);
  for (let round = 0; round < rounds; round++) {
    await inTempFolder(async (dir) => {
      const path = `${dir}/runs`;
      putDamaged(path, sound, draw);
      try {
        await readByCommands(dir, `sqlite:${path}`, draw);
        await readByStore(sqliteStore({ path }), [...RUNS, "r7"]);
      } catch (cause) {
        throw new Error(`round ${round}`, { cause });
      }
    });
  }
});
