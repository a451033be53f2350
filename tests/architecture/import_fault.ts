import { CLOSED_NETWORK, TEST_IMPORTS } from "./layers.ts";
import { type Place, placeOf } from "./place.ts";

const RELATIVE = /^\.\.?\/[\w./-]+$/;
const PACKAGE = /^@polyloop\/polyloop(?:\/[a-z/-]+)?$/;

/** What is wrong with an import, told from the place of the file and the specifier alone. */
export function importFault(from: Place, specifier: string): string | undefined {
  if (RELATIVE.test(specifier)) return relativeFault(from, specifier);
  if (from.folder.published) {
    if (!specifier.startsWith("node:")) return "a published file imports by relative path only";
    if (from.folder.node?.[from.path]?.includes(specifier)) return undefined;
    return "this file is not the one that may import this module of Node's";
  }
  if (PACKAGE.test(specifier)) return undefined;
  if (from.name === "examples") return "an example imports the package by its name";
  if (specifier.startsWith("node:") || TEST_IMPORTS.includes(specifier)) return undefined;
  const closed = from.path.startsWith(CLOSED_NETWORK.folder);
  return closed && specifier.startsWith(CLOSED_NETWORK.package)
    ? undefined
    : "no test may import it";
}

/** The path from the root that a relative specifier means. Absent: it is outside. */
export function resolvePath(from: string, specifier: string): string | undefined {
  const root = "file:///tree/";
  const target = new URL(specifier, new URL(from, root)).href;
  return target.startsWith(root) ? target.slice(root.length) : undefined;
}

function relativeFault(from: Place, specifier: string): string | undefined {
  const path = resolvePath(from.path, specifier);
  if (path === undefined) return "it lies outside the project";
  if (from.folder.published && !path.endsWith(".ts")) return "it has no extension .ts";
  const to = placeOf(path);
  if (to === undefined) return "the table of layers has no such place";
  const own = to.name === from.name;
  if (!own && !from.folder.reaches.includes(to.name)) {
    return `"${from.name}" (layer ${from.folder.layer}) may import ${
      from.folder.reaches.join(", ") || "nothing"
    }, not "${to.name}" (layer ${to.folder.layer})`;
  }
  if (!from.folder.published) return undefined;
  const home = privateHome(to);
  return home === undefined || from.path.startsWith(home) ? undefined : `it is private to ${home}`;
}

/** The folder to which a place is private, by the last `_` in its path below its folder in the table. */
function privateHome(place: Place): string | undefined {
  const start = place.name === "." ? 0 : place.name.length + 1;
  const at = `/${place.path.slice(start)}`.lastIndexOf("/_");
  return at < 0 ? undefined : place.path.slice(0, start + at);
}
