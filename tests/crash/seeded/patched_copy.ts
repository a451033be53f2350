import { copy } from "@std/fs";
import type { SeededBug } from "./seeded_bug.ts";
import { type Change, lastFirst, seededPlaces } from "./seeded_places.ts";
import { loadSubject, type Subject, SUBJECT_FILE } from "../subject.ts";

const ROOT = new URL("../../../", import.meta.url);

/** What is explored. */
export const SOURCES: readonly string[] = [
  "mod.ts",
  "types",
  "ports",
  "logic",
  "session",
  "stores",
];

/** The places that were found, by the root of their tree. */
const PLACES = new Map<string, ReturnType<typeof seededPlaces>>();

/** Gives a copy of the sources under a root that has the bugs, and removes it again. */
export async function withSeededBugs<T>(
  bugs: readonly SeededBug[],
  use: (subject: Subject) => Promise<T>,
  root: URL = ROOT,
): Promise<T> {
  const places = PLACES.get(root.href) ?? seededPlaces(root);
  PLACES.set(root.href, places);
  const found = await places;
  const changes = bugs.flatMap((bug) => found.get(bug)!).sort(lastFirst);
  return await withCopy(async (folder) => {
    for (const change of changes) await make(change, folder);
    return await use(await loadSubject(folder));
  }, root);
}

/** Gives a copy of the sources under a root, or of some of them, and removes it again. */
export async function withCopy<T>(
  use: (folder: URL) => Promise<T>,
  root: URL = ROOT,
  sources: readonly string[] = SOURCES,
): Promise<T> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "polyloop_seeded_" }));
  try {
    await Deno.mkdir(`${folder}/${SUBJECT_FILE.replace(/[^/]+$/, "")}`, { recursive: true });
    for (const name of [...sources, SUBJECT_FILE]) {
      await copy(decodeURI(new URL(name, root).pathname), `${folder}/${name}`);
    }
    return await use(new URL(`file://${folder}/`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function make({ path, range: [start, end], put }: Change, root: URL): Promise<void> {
  const file = new URL(path, root);
  const source = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, `${source.slice(0, start)}${put}${source.slice(end)}`);
}
