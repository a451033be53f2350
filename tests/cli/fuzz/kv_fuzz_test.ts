import { kvStore } from "../../../stores/kv.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { drawing } from "../../types/json_values.ts";
import { leaveOpen, makeRun } from "../made_runs.ts";
import { damagedBytes, damagedJson, type Draw, oneOf } from "./damage.ts";
import { readByCommands, readByStore } from "./read_all.ts";

const RUNS = ["done", "open"];
const ROOT = ["polyloop", "v1"];

async function soundDatabase(): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  await inTempFolder(async (dir) => {
    const kv = await Deno.openKv(`${dir}/runs`);
    await makeRun(kvStore({ kv }), "done", ["do look", `answer ${"🌊".repeat(40_000)}`]);
    await leaveOpen(kvStore({ kv }), "open");
    kv.close();
    bytes = Deno.readFileSync(`${dir}/runs`);
  });
  return bytes;
}

/** Changes what is under a key, or the key itself, as no store does. */
async function damageKey(
  kv: Deno.Kv,
  { key, value }: Deno.KvEntry<unknown>,
  draw: Draw,
): Promise<void> {
  const fields = value instanceof Uint8Array ? {} : Object(value); // a chunk has bytes alone
  const odd: readonly [unknown, ...unknown[]] = [
    null,
    ...[undefined, 0, -1, 1e9, "x", "", true, 7n, [], {}, new Date(NaN), /x/, new Map()],
    ...[new Uint8Array(), new Uint8Array(9).fill(0xff), { token: 5 }, { token: "x", bytes: -1 }],
    ...[{ token: "x", bytes: 1e9 }, { token: "x", bytes: NaN }, { ...fields, bytes: "x" }],
  ];
  const { bytes } = fields;
  const text = bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : "{}";
  const changed = new TextEncoder().encode(damagedJson(text, draw));
  await oneOf<() => Promise<unknown>>(draw, [
    () => kv.delete(key),
    () => kv.set(key, oneOf(draw, odd)),
    () => kv.set(key, { ...fields, bytes: changed.slice(0, 40_000) }),
    () => kv.set([...key.slice(0, -1), oneOf(draw, [0, -1, 1.5, "1", 3n, true, 99])], value),
    () => kv.set([...key, "more"], value),
    () =>
      kv.set(
        [...ROOT, oneOf(draw, ["run", "unfinished"]), oneOf(draw, ["", "\x1b[2J", 5, "x"])],
        "x",
      ),
  ])();
}

async function putDamaged(path: string, sound: Uint8Array, draw: Draw): Promise<void> {
  if (draw(3) === 0) return Deno.writeFileSync(path, damagedBytes(sound, draw));
  Deno.writeFileSync(path, sound);
  using kv = await Deno.openKv(path);
  const entries = await Array.fromAsync(kv.list({ prefix: ROOT }));
  for (let left = 1 + draw(4); left > 0; left--) {
    const entry = entries[draw(entries.length)];
    if (entry !== undefined) await damageKey(kv, entry, draw);
  }
  if (draw(4) === 0) await readByStore(kvStore({ kv }), RUNS);
}

/** How many databases are read at once: most of the time of one is waiting for Deno KV's own threads. */
const LANES = 4;

const rounds = fuzzRounds(2_000);
Deno.test(`the readers give data or a typed error of each of ${rounds} damaged databases of KV, and change none`, async () => {
  const sound = await soundDatabase();
  const read = async (round: number): Promise<void> => {
    const draw = drawing(Math.imul(20_260_110 + round, 0x9e3779b1)); // seeds in a row begin alike
    await inTempFolder(async (dir) => {
      const path = `${dir}/runs`;
      try {
        await putDamaged(path, sound, draw);
        await readByCommands(dir, `kv:${path}`, draw);
      } catch (cause) {
        throw new Error(`round ${round}`, { cause });
      }
    });
  };
  let round = 0;
  const lanes = Array.from({ length: LANES }, async () => {
    while (round < rounds) await read(round++);
  });
  await Promise.all(lanes);
});
