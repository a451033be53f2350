import { copy } from "@std/fs";
import type { Edit } from "./seeded_bug.ts";
import { loadSubject, type Subject } from "./subject.ts";

const ROOT = new URL("../../", import.meta.url);
const SOURCES = ["mod.ts", "types", "ports", "logic", "session", "stores"];

/** Gives a copy of the sources in which texts were replaced, and removes it again. */
export async function withPatchedCopy<T>(
  edits: readonly Edit[],
  use: (subject: Subject) => Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "polyloop_seeded_" });
  try {
    for (const name of SOURCES) {
      await copy(decodeURI(new URL(name, ROOT).pathname), `${folder}/${name}`);
    }
    for (const [path, before, after] of edits) {
      const source = await Deno.readTextFile(`${folder}/${path}`);
      if (source.split(before).length !== 2) {
        throw new Error(`Cannot seed a bug in ${path} as this is not there once: ${before}`);
      }
      await Deno.writeTextFile(`${folder}/${path}`, source.replace(before, () => after));
    }
    return await use(await loadSubject(new URL(`file://${folder}/`)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
