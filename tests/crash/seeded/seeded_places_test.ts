import { assert, assertEquals, assertRejects } from "@std/assert";
import { hunt } from "./hunt.ts";
import { withCopy } from "./patched_copy.ts";
import { renameAll } from "./renamed_copy.ts";
import { SEEDED_BUGS } from "./seeded_bugs.ts";
import { seededPlaces } from "./seeded_places.ts";

const ROOT = new URL("../../../", import.meta.url);

/** What a refactoring must not rename: the package's exports, and what the explorer loads a copy by. */
async function keptNames(): Promise<ReadonlySet<string>> {
  const api = await Deno.readTextFile(new URL("../../architecture/api/api.txt", import.meta.url));
  const names = [...api.matchAll(/^\S+ exports ([\w$]+)$/gm)].map((match) => match[1]!);
  return new Set([...names, "SUBJECT"]);
}

Deno.test("seededPlaces() finds a place for every edit of every seeded bug", async () => {
  const places = await seededPlaces(ROOT);
  for (const bug of SEEDED_BUGS) assertEquals(places.get(bug)?.length, bug.edits.length, bug.name);
});

Deno.test("seededPlaces() finds every seeded bug again after files, variables and functions were renamed", async () => {
  await withCopy(async (folder) => {
    await renameAll(folder, await keptNames());
    const places = await seededPlaces(folder);
    for (const bug of SEEDED_BUGS) {
      assertEquals(places.get(bug)?.length, bug.edits.length, bug.name);
    }
    const moved = [...places.values()].flat().filter(({ path }) => path.endsWith("_moved.ts"));
    assert(moved.length > SEEDED_BUGS.length / 2);
    const { caught, invariants } = await hunt(SEEDED_BUGS.at(-1)!, folder);
    assert(caught, `it broke ${invariants.join(", ") || "nothing"}`);
  });
});

Deno.test("seededPlaces() names each bug whose place is gone or is there twice", async () => {
  await withCopy(async (folder) => {
    const file = new URL("stores/kv.ts", folder);
    const source = await Deno.readTextFile(file);
    await Deno.writeTextFile(
      file,
      `${source}\nexport const x = (y: Deno.FsFile) => y.syncData();\n`,
    );
    const error = await assertRejects(() => seededPlaces(folder), Error);
    for (const name of ["skip a sync", "retry a sync"]) {
      assert(error.message.includes(`"${name}" finds 2 places in stores`), error.message);
    }
    await Deno.writeTextFile(new URL("stores/memory.ts", folder), "");
    const { message } = await assertRejects(() => seededPlaces(folder), Error);
    assert(message.includes(`"take an equal entry for one's own" finds 0 places`), message);
  });
});
