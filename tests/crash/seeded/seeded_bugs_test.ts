import {
  assert,
  assertEquals,
  assertGreater,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { replay } from "../replay.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { SUBJECT } from "../subject.ts";
import { hunt } from "./hunt.ts";
import { SOURCES, withCopy, withSeededBugs } from "./patched_copy.ts";
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

Deno.test("hunt() catches each bug of a sample in a kernel and stores that have them all", async () => {
  await withSeededBugs(SAMPLE, async (subject) => {
    for (const bug of SAMPLE) {
      const { caught, invariants, replay: state } = await hunt(bug, subject);
      assert(caught, broke(bug, invariants));
      // The same state shows the fault by real crashes, and nothing in the sources as they are.
      const again = await replay(subject, state);
      assert(again.findings.some(({ invariant }) => invariant === bug.invariant));
      assertEquals((await replay(SUBJECT, state)).findings, []);
    }
  });
});

function broke({ name, invariant }: SeededBug, invariants: readonly string[]): string {
  return `to ${name} broke ${invariants.join(", ") || "nothing"}, not "${invariant}"`;
}

/** What a refactoring must not rename: the package's exports, and what the explorer loads a copy by. */
async function keptNames(): Promise<ReadonlySet<string>> {
  const api = await Deno.readTextFile(new URL("../../architecture/api/api.txt", import.meta.url));
  const names = [...api.matchAll(/^\S+ exports ([\w$]+)$/gm)].map((match) => match[1]!);
  return new Set([...names, "SUBJECT"]);
}

/** The bugs whose places are all in some folders. */
function bugsIn(folders: readonly string[]): readonly SeededBug[] {
  return SEEDED_BUGS.filter(({ edits }) =>
    edits.every(({ within }) => folders.includes(within.split("/")[0]!))
  );
}

/** The folders that are renamed: all in `deno task fuzz`, where it is tried, too, that what was renamed still runs. */
const RENAMED = IS_WHOLE ? SOURCES : ["types", "stores"];

Deno.test("seededPlaces() finds seeded bugs again after files, variables and functions were renamed", async () => {
  const bugs = bugsIn(RENAMED);
  await withCopy(
    async (folder) => {
      await renameAll(folder, await keptNames());
      const places = await seededPlaces(folder, bugs);
      for (const bug of bugs) assertEquals(places.get(bug)?.length, bug.edits.length);
      const moved = [...places.values()].flat().filter(({ path }) => path.endsWith("_moved.ts"));
      assertGreater(moved.length, bugs.length / 2);
      if (!IS_WHOLE) return;
      const bug = SEEDED_BUGS.at(-1)!;
      const { caught, invariants } = await withSeededBugs(
        [bug],
        (subject) => hunt(bug, subject),
        folder,
      );
      assert(caught, broke(bug, invariants));
    },
    undefined,
    RENAMED,
  );
});

Deno.test("seededPlaces() names each bug whose place is gone or is there twice", async () => {
  const bugs = bugsIn(["stores"]);
  await withCopy(
    async (folder) => {
      const second = "export const x = (y: Deno.FsFile) => y ? y.syncData() : 0;";
      await Deno.writeTextFile(new URL("stores/_jsonl/second.ts", folder), second);
      await Deno.writeTextFile(new URL("stores/memory.ts", folder), "");
      const { message } = await assertRejects(() => seededPlaces(folder, bugs), Error);
      assertStringIncludes(message, `"skip a sync" finds 2 places in stores/_jsonl`);
      assertStringIncludes(message, `"retry a sync" finds 2 places in stores/_jsonl`);
      assertStringIncludes(message, `"take an equal entry for one's own" finds 0 places in stores`);
    },
    undefined,
    ["stores"],
  );
});
