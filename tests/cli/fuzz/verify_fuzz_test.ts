import { assert, assertEquals } from "@std/assert";
import { RunLogCorruptError, type RunStore } from "../../../mod.ts";
import { verifyLog } from "../../../session/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { leaveOpen, makeRun, REPLIES } from "../made_runs.ts";

const CHANGES = fuzzRounds(20_000);
const LF = 0x0a;

/** Numbers that seem random and are the same in each run of the test. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

type Change = (bytes: Uint8Array, pick: (below: number) => number) => Uint8Array;

/** Changes of one byte. The line feed of the last line is left alone: without it the line is as whole as with it. */
const BYTE_CHANGES: Readonly<Record<string, Change>> = {
  change(bytes, pick) {
    const changed = bytes.slice();
    const at = pick(bytes.length - 1);
    changed[at] = (changed[at]! + 1 + pick(255)) % 256;
    return changed;
  },
  flip(bytes, pick) {
    const changed = bytes.slice();
    changed[pick(bytes.length - 1)]! ^= 1 << pick(8);
    return changed;
  },
  remove(bytes, pick) {
    const at = pick(bytes.length - 1);
    return Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at + 1));
  },
  insert(bytes, pick) {
    const at = pick(bytes.length);
    return Uint8Array.of(...bytes.subarray(0, at), pick(256), ...bytes.subarray(at));
  },
};

/** Changes of whole lines, and of what a line says. */
const LINE_CHANGES: Readonly<Record<string, (lines: string[], at: number, n: number) => void>> = {
  drop: (lines, at) => void lines.splice(at, 1),
  repeat: (lines, at) => void lines.splice(at, 0, lines[at]!),
  swap: (lines, at) => void lines.splice(at, 2, lines[at + 1]!, lines[at]!),
  move: (lines, at, n) => void lines.splice(n, 0, ...lines.splice(at, 1)),
  blank: (lines, at) => void lines.splice(at, 0, ""),
  joined: (lines, at) => void lines.splice(at, 2, lines[at]! + lines[at + 1]!),
  number: (lines, at) =>
    edit(lines, at, /\d(?=[,}"])/, (digit) => String((Number(digit) + 1) % 10)),
  space: (lines, at) => edit(lines, at, /,/, () => ", "),
  text: (lines, at) => edit(lines, at, /look|answer|Go on/, () => "other"),
};

function edit(lines: string[], at: number, what: RegExp, make: (found: string) => string): void {
  const line = what.test(lines[at]!) ? at : lines.findIndex((other) => what.test(other));
  lines[line] = lines[line]!.replace(what, make);
}

async function withFolder(body: (dir: string, store: RunStore) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(dir, jsonlStore({ dir }));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Whether reading and verifying a run's file finds a fault. */
async function findsFault(store: RunStore, runId: string): Promise<boolean> {
  try {
    return !verifyLog((await store.readRun(runId)) ?? []).ok;
  } catch (error) {
    assert(error instanceof RunLogCorruptError, String(error));
    return true;
  }
}

async function missed(
  store: RunStore,
  dir: string,
  change: (at: number, file: Uint8Array) => {
    readonly name: string;
    readonly bytes: Uint8Array;
  },
): Promise<readonly string[]> {
  const path = `${dir}/r.jsonl`;
  const whole = await Deno.readFile(path);
  const unfound: string[] = [];
  for (let at = 0; at < CHANGES; at++) {
    const { name, bytes } = change(at, whole);
    await Deno.writeFile(path, bytes);
    if (!await findsFault(store, "r")) unfound.push(`${at} ${name}`);
  }
  await Deno.writeFile(path, whole);
  assertEquals(await findsFault(store, "r"), false);
  return unfound;
}

Deno.test(`verify finds each of ${CHANGES} changes of one byte of a log`, async () => {
  await withFolder(async (dir, store) => {
    await makeRun(store, "r");
    const pick = numbers(1);
    const unfound = await missed(store, dir, (at, file) => {
      assertEquals(file.at(-1), LF);
      const [name, change] = Object.entries(BYTE_CHANGES)[at % 4]!;
      return { name, bytes: change(file, pick) };
    });
    assertEquals(unfound, []);
  });
});

Deno.test(`verify finds each of ${CHANGES} edits of the lines inside a log`, async () => {
  await withFolder(async (dir, store) => {
    await makeRun(store, "r");
    const pick = numbers(2);
    const changes = Object.entries(LINE_CHANGES);
    const unfound = await missed(store, dir, (at, file) => {
      const lines = new TextDecoder().decode(file).trimEnd().split("\n");
      const [name, change] = changes[at % changes.length]!;
      const from = pick(lines.length - 1);
      const to = (from + 1 + pick(lines.length - 1)) % lines.length;
      change(lines, from, to);
      return { name, bytes: new TextEncoder().encode(`${lines.join("\n")}\n`) };
    });
    assertEquals(unfound, []);
  });
});

Deno.test("verify never cries wolf: on whole logs, on logs left open, and on each beginning of a log", async () => {
  await withFolder(async (dir, store) => {
    await makeRun(store, "whole");
    await makeRun(store, "no-inputs", REPLIES, {}, { recordInputs: false });
    await makeRun(store, "no-steps", [], {
      budget: { maxSteps: 0, maxModelCalls: 0, maxPromptChars: 0, maxConsecutiveFailures: 1 },
    });
    await leaveOpen(store, "open");
    for (const runId of ["whole", "no-inputs", "no-steps", "open"]) {
      const lines = (await store.readRun(runId))!;
      for (let end = 1; end <= lines.length; end++) {
        assertEquals(verifyLog(lines.slice(0, end)).fault, undefined, `${runId}, ${end} entries`);
      }
    }
    const bytes = await Deno.readFile(`${dir}/whole.jsonl`);
    const cut = bytes.lastIndexOf(LF, -2) + 1;
    for (let end = cut; end <= bytes.length; end += 7) {
      await Deno.writeFile(`${dir}/whole.jsonl`, bytes.subarray(0, end));
      assertEquals(await findsFault(store, "whole"), false, `cut off after byte ${end}`);
    }
  });
});
