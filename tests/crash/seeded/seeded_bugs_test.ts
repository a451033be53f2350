import {
  assert,
  assertEquals,
  assertGreater,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { replay } from "../replay.ts";
import { SUBJECT } from "../subject.ts";
import { hunt } from "./hunt.ts";
import { withCopy, withSeededBug } from "./patched_copy.ts";
import { renameAll } from "./renamed_copy.ts";
import type { SeededBug } from "./seeded_bug.ts";
import { SEEDED_BUGS } from "./seeded_bugs.ts";
import { seededPlaces } from "./seeded_places.ts";

/** One bug of each way to find them, one that takes little time. `deno task crash` hunts all. */
const SAMPLE = [
  "send a replayed call another prompt",
  "replay a call that the budget forbids",
  "drop the short-write loop",
  "take an equal entry for one's own",
].map((name) => SEEDED_BUGS.find((bug) => bug.name === name)!);

Deno.test("SAMPLE has a bug of each way to find them but by mutations, which takes long", () => {
  const ways = new Set(SEEDED_BUGS.map(({ by }) => by)).difference(new Set(["mutations"]));
  assertEquals(new Set(SAMPLE.map(({ by }) => by)), ways);
});

for (const bug of SAMPLE) {
  Deno.test(`hunt() catches a kernel or store made to ${bug.name}`, async () => {
    const { caught, invariants, replay: state } = await hunt(bug);
    assert(caught, broke(bug, invariants));
    // The same state shows the fault by real crashes, and nothing in the sources as they are.
    const again = await withSeededBug(bug, (subject) => replay(subject, state));
    assert(again.findings.some(({ invariant }) => invariant === bug.invariant));
    assertEquals((await replay(SUBJECT, state)).findings, []);
  });
}

function broke({ invariant }: SeededBug, invariants: readonly string[]): string {
  return `it broke ${invariants.join(", ") || "nothing"}, not "${invariant}"`;
}

/** What a refactoring must not rename: the package's exports, and what the explorer loads a copy by. */
async function keptNames(): Promise<ReadonlySet<string>> {
  const api = await Deno.readTextFile(new URL("../../architecture/api/api.txt", import.meta.url));
  const names = [...api.matchAll(/^\S+ exports ([\w$]+)$/gm)].map((match) => match[1]!);
  return new Set([...names, "SUBJECT"]);
}

Deno.test("seededPlaces() finds every seeded bug again after files, variables and functions were renamed", async () => {
  await withCopy(async (folder) => {
    await renameAll(folder, await keptNames());
    const places = await seededPlaces(folder);
    for (const bug of SEEDED_BUGS) assertEquals(places.get(bug)?.length, bug.edits.length);
    const moved = [...places.values()].flat().filter(({ path }) => path.endsWith("_moved.ts"));
    assertGreater(moved.length, SEEDED_BUGS.length / 2);
    const bug = SEEDED_BUGS.at(-1)!;
    const { caught, invariants } = await hunt(bug, folder);
    assert(caught, broke(bug, invariants));
  });
});

Deno.test("seededPlaces() names each bug whose place is gone or is there twice", async () => {
  await withCopy(async (folder) => {
    const second = "export const x = (y: Deno.FsFile) => y ? y.syncData() : 0;";
    await Deno.writeTextFile(new URL("stores/_jsonl/second.ts", folder), second);
    await Deno.writeTextFile(new URL("stores/memory.ts", folder), "");
    const { message } = await assertRejects(() => seededPlaces(folder), Error);
    assertStringIncludes(message, `"skip a sync" finds 2 places in stores/_jsonl`);
    assertStringIncludes(message, `"retry a sync" finds 2 places in stores/_jsonl`);
    assertStringIncludes(message, `"take an equal entry for one's own" finds 0 places in stores`);
  });
});
