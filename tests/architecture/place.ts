import { EMPTY_NAMES, type Folder, FOLDERS, GUIDES, TEST_DATA, TOP_FILES } from "./layers.ts";

/** Where a file stands in the tree, and what holds for it there. */
export interface Place {
  /** Its path from the root, such as `stores/memory.ts`. */
  readonly path: string;
  /** Its folder in the table. */
  readonly name: string;
  /** What holds for that folder. */
  readonly folder: Folder;
}

/** The place of a path from the root. Absent: the table has no such folder. */
export function placeOf(path: string): Place | undefined {
  if (path === "mod.ts") return { path, name: ".", folder: FOLDERS["."]! };
  const name = Object.keys(FOLDERS)
    .filter((folder) => path.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? undefined : { path, name, folder: FOLDERS[name]! };
}

/** A file's path from the root. Absent: it is outside, or it is data that the tests read. */
export function pathFromRoot(root: URL, filename: string): string | undefined {
  const file = filename.startsWith("file:") ? filename : `file://${encodeURI(filename)}`;
  if (!file.startsWith(root.href)) return undefined;
  const path = decodeURI(file.slice(root.href.length));
  return path.startsWith(TEST_DATA) ? undefined : path;
}

/** What is wrong with a path's names, or with its being there at all. */
export function nameFault(path: string): string | undefined {
  const segments = path.split("/");
  for (const segment of segments) {
    const stem = segment.replace(/^_/, "").replace(/\.[a-z]+$/, "");
    if (stem.split("_").some((word) => EMPTY_NAMES.includes(word))) {
      return `the name "${segment}" says nothing`;
    }
  }
  const file = segments.at(-1)!;
  if (file.endsWith(".ts") && !/^_?[a-z0-9]+(?:_[a-z0-9]+)*\.ts$/.test(file)) {
    return `the name "${file}" is not in snake_case`;
  }
  if (path.startsWith(GUIDES)) return file.endsWith(".md") ? undefined : "a guide is Markdown";
  const place = placeOf(path);
  if (place?.folder.published && !file.endsWith(".ts")) return "the package is TypeScript alone";
  const known = segments.length === 1 ? TOP_FILES.includes(path) : place !== undefined;
  return known ? undefined : "the table of layers has no such place";
}
