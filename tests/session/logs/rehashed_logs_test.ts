import { assert, assertEquals, assertRejects } from "@std/assert";
import { readLog, readLogInParts, verifyLog, verifyLogInParts } from "../../../session/mod.ts";
import { digest, frameLogLine, RunLogCorruptError, type StepRecord } from "../../../types/mod.ts";
import { recordsOf } from "../world.ts";
import { rewritten } from "./forged.ts";
import { LOGS } from "./recorded_logs.ts";

/** A change of every place of a text that gives the same JSON value to `JSON.parse`. */
const SAME_VALUE: Readonly<Record<string, (json: string) => string>> = {
  "a key twice, the first reading another": (json) =>
    json.replace('"type":', '"type":"step","type":'),
  "a key twice inside a record": (json) => json.replace('"at":', '"at":"2026","at":'),
  "a key twice, the second spelt with an escape": (json) =>
    json.replace('"type":', '"\\u0074ype":"step","type":'),
  "a letter as an escape": (json) => json.replace('"type":"m', '"type":"\\u006d'),
  "a blank between tokens": (json) => json.replace(":", ": "),
  "a tab at the end of an object": (json) => json.replace(/\}$/, "\t}"),
  "a number with a fraction of nothing": (json) => json.replace(/:(\d+)([,}])/, ":$1.0$2"),
  "a number with an exponent": (json) => json.replace(/:(\d+)([,}])/, ":$1e0$2"),
  "an escaped slash": (json) => json.replace("/", "\\/"),
};

Deno.test("verifyLog() finds a line that says the same in another way, in each entry that has the place", () => {
  for (const [what, change] of Object.entries(SAME_VALUE)) {
    let tried = 0;
    for (const seq of LOGS.mixed.keys()) {
      const changed = rewritten(LOGS.mixed, (json, at) => at === seq ? change(json) : json);
      if (changed[seq] === LOGS.mixed[seq]) continue;
      tried++;
      const { fault } = verifyLog(changed);
      assertEquals([fault?.seq, fault?.code], [seq, "records"], what);
    }
    assert(tried > 0, what);
  }
});

Deno.test("verifyLog() finds times that there are not", () => {
  const times = [
    "2026-99-01",
    "2026-13-01",
    "2026-00-10",
    "2026-02-30",
    "2025-02-29",
    "2026-04-31",
  ];
  const clocks = ["T24:00:00.000Z", "T12:60:00.000Z", "T12:00:60.000Z", "T12:00:00.000"];
  const all = [
    ...times.map((day) => `${day}T12:00:00.000Z`),
    ...clocks.map((clock) => `2026-01-01${clock}`),
    ...["2026-01-01T12:00:00Z", "2026-01-01", "now", "+002026-01-01T12:00:00.000Z"],
  ];
  for (const at of all) {
    for (const seq of LOGS.mixed.keys()) {
      const changed = rewritten(
        LOGS.mixed,
        (json, i) => i === seq ? json.replace(/"at":"[^"]*"/, `"at":"${at}"`) : json,
      );
      if (changed[seq] === LOGS.mixed[seq]) continue;
      const { fault } = verifyLog(changed);
      assertEquals([fault?.seq, fault?.code], [seq, "records"], at);
    }
  }
});

Deno.test("verifyLog() finds an entry that goes on after its intent", () => {
  for (const [name, lines] of Object.entries(LOGS)) {
    const entries = recordsOf(lines);
    for (let seq = 0; seq + 1 < entries.length; seq++) {
      if (!/_intent$/.test(String(entries[seq]?.at(-1)?.type))) continue;
      const merged = [...entries.slice(0, seq), entries.slice(seq, seq + 2).flat()];
      let prev = digest("r");
      const relined = merged.map((records, at) => {
        const entry = frameLogLine(at, prev, records.map((r) => JSON.stringify(r)).join(","));
        prev = entry.hash;
        return entry.line;
      });
      const { fault } = verifyLog(relined);
      assertEquals([name, fault?.seq, fault?.code], [name, seq, "grammar"]);
    }
  }
});

async function* oneByOne(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  for (const line of lines) yield [line];
}

Deno.test("verifyLogInParts() and readLogInParts() say what verifyLog() and readLog() say", async () => {
  for (const lines of Object.values(LOGS)) {
    for (let length = 0; length <= lines.length; length++) {
      const part = lines.slice(0, length);
      assertEquals(await verifyLogInParts(oneByOne(part)), verifyLog(part));
      assertEquals(await verifyLogInParts([part.slice(0, 3), [], part.slice(3)]), verifyLog(part));
      if (length === 0) continue;
      const steps: StepRecord[] = [];
      const summary = await readLogInParts(oneByOne(part), (step) => void steps.push(step));
      assertEquals({ ...summary, steps }, { ...readLog(part) });
      const { log } = verifyLog(part);
      assertEquals(log, summary);
    }
    const torn = [...lines.slice(0, 2), "x", ...lines.slice(3)];
    assertEquals(await verifyLogInParts(oneByOne(torn)), verifyLog(torn));
    await assertRejects(() => readLogInParts(oneByOne(torn), () => {}), RunLogCorruptError);
  }
});

Deno.test("verifyLogInParts() asks for no line after the first fault, and takes damage that the lines tell of", async () => {
  const asked: number[] = [];
  async function* watched(lines: readonly string[]): AsyncGenerator<readonly string[]> {
    for (const [i, line] of lines.entries()) {
      asked.push(i);
      yield [line];
    }
  }
  await verifyLogInParts(watched([LOGS.mixed[0] ?? "", "x", "x", "x"]));
  assertEquals(asked, [0, 1]);

  const damage = new RunLogCorruptError("r", 3, "chain", "its line is blank");
  const { ok, fault } = await verifyLogInParts(failing(damage));
  assertEquals({ ok, seq: fault?.seq, message: fault?.message }, {
    ok: false,
    seq: 3,
    message: damage.message,
  });
  await assertRejects(() => verifyLogInParts(failing(new TypeError("gone"))), TypeError, "gone");
});

// deno-lint-ignore require-yield -- it fails first
async function* failing(error: Error): AsyncGenerator<readonly string[]> {
  throw error;
}
