import { walk } from "@std/fs";
import { parse } from "@std/jsonc";
import { resolvePath } from "./import_fault.ts";
import { pathFromRoot } from "./place.ts";
import { importOf, isNaming, nameOf } from "./syntax.ts";

/** What one file says that a rule over several files wants to know. */
export interface FileFacts {
  readonly source: string;
  /** The paths from the root that it imports or re-exports. */
  readonly imports: readonly string[];
  /** The members that it takes, such as `port.call`, once for each time. */
  readonly members: readonly string[];
  /** The interfaces in it that declare a method. */
  readonly methodInterfaces: readonly string[];
  /** How often it names `fetch`. */
  readonly fetches: number;
}

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
    if (path.endsWith(".ts")) files.set(path, readFile(path, await Deno.readTextFile(entry.path)));
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

/** What one TypeScript file says. */
export function readFile(path: string, source: string): FileFacts {
  const imports: string[] = [];
  const members: string[] = [];
  const methodInterfaces: string[] = [];
  let fetches = 0;
  const plugin: Deno.lint.Plugin = {
    name: "facts",
    rules: {
      facts: {
        create(context) {
          const imported = (node: Deno.lint.Node) => {
            const specifier = importOf(node);
            if (specifier === undefined || !specifier.startsWith(".")) return;
            const target = resolvePath(path, specifier);
            if (target !== undefined) imports.push(target);
          };
          return {
            ImportDeclaration: imported,
            ExportAllDeclaration: imported,
            ExportNamedDeclaration: imported,
            ImportExpression: imported,
            TSImportType: imported,
            MemberExpression({ object, property }) {
              const name = nameOf(property);
              if (name !== undefined) {
                members.push(`${context.sourceCode.getText(object)}.${name}`);
              }
              if (name === "fetch") fetches += 1;
            },
            ObjectPattern({ properties }) {
              for (const property of properties) {
                if (property.type === "Property") members.push(`pattern.${nameOf(property.key)}`);
              }
            },
            Identifier(node) {
              if (node.name !== "fetch" || !isNaming(node)) return;
              if (node.parent.type !== "TSTypeQuery") fetches += 1;
            },
            TSInterfaceDeclaration({ id, body }) {
              if (body.body.some(({ type }) => type === "TSMethodSignature")) {
                methodInterfaces.push(id.name);
              }
            },
          };
        },
      },
    },
  };
  Deno.lint.runPlugin(plugin, path, source);
  return { source, imports, members, methodInterfaces, fetches };
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
