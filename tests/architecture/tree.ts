import { walk } from "@std/fs";
import { parse } from "@std/jsonc";
import { type FileFacts, fileFacts } from "./file_facts.ts";
import { pathFromRoot } from "./place.ts";

/** A tree: the paths of all its files, and what the TypeScript ones say. */
export interface Tree {
  readonly root: URL;
  readonly paths: readonly string[];
  readonly files: ReadonlyMap<string, FileFacts>;
  readonly exports: Readonly<Record<string, string>>;
  readonly published: readonly string[];
}

/** Reads a tree: all of it but dot-files, what tools write, and the data that tests read. */
export async function readTree(root: URL): Promise<Tree> {
  const paths: string[] = [];
  const files = new Map<string, FileFacts>();
  const top = decodeURI(root.pathname).replace(/\/$/, "");
  const skip = [new RegExp(`^${RegExp.escape(top)}/(?:.*/)?(?:\\.[^/]+|node_modules|coverage)$`)];
  for await (const entry of walk(top, { includeDirs: false, skip })) {
    const path = pathFromRoot(root, entry.path);
    if (path === undefined) continue;
    paths.push(path);
    if (path.endsWith(".ts")) files.set(path, fileFacts(path, await Deno.readTextFile(entry.path)));
  }
  const config = parse(await Deno.readTextFile(new URL("deno.json", root))) as {
    exports: Record<string, string>;
    publish: { include: string[] };
  };
  return {
    root,
    paths: paths.sort(),
    files,
    exports: config.exports,
    published: config.publish.include,
  };
}

/** The paths that a path reaches by imports, itself included. */
export function reached({ files }: Tree, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const next of files.get(path)?.imports ?? []) visit(next);
  };
  visit(from);
  return found;
}

/** The cycles among imports, each once, as the paths on it. */
export function cycles({ files }: Tree): readonly (readonly string[])[] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) return void found.push([...trail.slice(at), path]);
    if (done.has(path)) return;
    done.add(path);
    for (const next of files.get(path)?.imports ?? []) visit(next, [...trail, path]);
  };
  for (const path of files.keys()) visit(path, []);
  return found;
}
