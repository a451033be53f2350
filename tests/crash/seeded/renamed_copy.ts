import { walk } from "@std/fs";
import { resolvePath } from "../../architecture/import_fault.ts";
import { pathFromRoot } from "../../architecture/place.ts";
import { importOf, isNaming } from "../../architecture/syntax.ts";

type Node = Deno.lint.Node;

/** What a file is to have in place of its text from an offset on. */
interface Rewrite {
  readonly length: number;
  readonly text: string;
}

/**
 * Gives every private file under a root another name and folder, and every variable, parameter and function another
 * name, but for the names to keep: what a refactoring may do, and more. It still runs. For tests: only they see syntax.
 */
export async function renameAll(root: URL, kept: ReadonlySet<string>): Promise<void> {
  const sources = new Map<string, string>();
  for await (const { path } of walk(decodeURI(root.pathname), { includeDirs: false })) {
    sources.set(pathFromRoot(root, path)!, await Deno.readTextFile(path));
  }
  const bound = new Map([...sources].map(([path, source]) => [path, boundNames(path, source)]));
  const shared = new Set([...bound.values()].flatMap(({ exported }) => [...exported]));
  for (const [path, source] of sources) {
    const { own, imported } = bound.get(path)!;
    const local = [...own, ...imported.filter((name) => shared.has(name))];
    // Deno shows `[, x, y]` as if there were no x or y.
    const hidden = new Set(
      [...source.matchAll(/\[,([^\]]*)\]/g)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []),
    );
    const names = new Set(local.filter((name) => !kept.has(name) && !hidden.has(name)));
    const isShared = (name: string) => shared.has(name) && !kept.has(name);
    const text = rewritten(source, rewrites(path, source, names, isShared));
    await Deno.remove(new URL(path, root));
    const target = new URL(movedPath(path), root);
    await Deno.mkdir(new URL(".", target), { recursive: true });
    await Deno.writeTextFile(target, text);
  }
}

/** Only private files move: `_x.ts`, and what is in a private folder and no `mod.ts`. */
function movedPath(path: string): string {
  return /\/_/.test(path) && !path.endsWith("mod.ts")
    ? path.replace(/_?([^/]+)\.ts$/, "_moved/$1_moved.ts")
    : path;
}

function visit(path: string, source: string, visitor: Deno.lint.LintVisitor): void {
  Deno.lint.runPlugin({ name: "r", rules: { r: { create: () => visitor } } }, path, source);
}

/** The names that a file binds, those that it imports, and those of its functions and variables that it exports. */
function boundNames(path: string, source: string) {
  const own = new Set<string>();
  const imported: string[] = [];
  const exported = new Set<string>();
  const bind = (node: { readonly params: readonly Deno.lint.Parameter[] }) =>
    node.params.flatMap(patternNames).forEach((name) => own.add(name));
  visit(path, source, {
    ImportSpecifier: ({ local }) => void imported.push(local.name),
    VariableDeclarator: ({ id }) => patternNames(id).forEach((name) => own.add(name)),
    FunctionDeclaration(node) {
      if (node.id) own.add(node.id.name);
      bind(node);
    },
    FunctionExpression: bind,
    ArrowFunctionExpression: bind,
    CatchClause: ({ param }) => param && patternNames(param).forEach((name) => own.add(name)),
    ExportNamedDeclaration({ declaration }) {
      if (declaration?.type === "FunctionDeclaration") exported.add(declaration.id!.name);
      if (declaration?.type !== "VariableDeclaration") return;
      declaration.declarations.flatMap(({ id }) => patternNames(id))
        .forEach((name) => exported.add(name));
    },
  });
  return { own, imported, exported };
}

function patternNames(node: Node | Deno.lint.Parameter | null): readonly string[] {
  switch (node?.type) {
    case "Identifier":
      return [node.name];
    case "ObjectPattern":
      return node.properties.flatMap(patternNames);
    case "ArrayPattern":
      return node.elements.flatMap(patternNames);
    case "Property":
      return patternNames(node.value);
    case "AssignmentPattern":
      return patternNames(node.left);
    case "RestElement":
      return patternNames(node.argument);
    default:
      return [];
  }
}

function rewrites(
  path: string,
  source: string,
  names: ReadonlySet<string>,
  isShared: (name: string) => boolean,
): ReadonlyMap<number, Rewrite> {
  const found = new Map<number, Rewrite>();
  const put = ({ range: [start] }: Node, length: number, text: string) =>
    found.set(start, { length, text });
  const moved = (node: Node & { readonly source?: unknown }) => {
    const specifier = importOf(node);
    const target = specifier?.startsWith(".") ? resolvePath(path, specifier) : undefined;
    if (target === undefined) return;
    const literal = node.source as Node;
    put(literal, literal.range[1] - literal.range[0], `"${specifierTo(path, target)}"`);
  };
  const renamed = (name: string) => isShared(name) ? `${name}Renamed` : name;
  visit(path, source, {
    ImportDeclaration: moved,
    ExportAllDeclaration: moved,
    ExportNamedDeclaration: moved,
    ImportExpression: moved,
    ImportSpecifier(node) {
      const { imported, local } = node;
      const theirs = imported.type === "Identifier" ? imported.name : imported.value;
      const ours = names.has(local.name) ? `${local.name}Renamed` : local.name;
      put(imported, node.range[1] - imported.range[0], `${renamed(theirs)} as ${ours}`);
    },
    ExportSpecifier(node) {
      const { local, exported } = node;
      if (local.type !== "Identifier" || exported.type !== "Identifier") return;
      put(
        local,
        node.range[1] - local.range[0],
        `${renamed(local.name)} as ${renamed(exported.name)}`,
      );
    },
    Identifier(node) {
      const { name, parent } = node;
      if (!names.has(name) || !isNaming(node) || /Specifier$/.test(parent.type)) return;
      if (parent.type === "Property" && parent.shorthand) {
        put(node, name.length, `${name}: ${name}Renamed`);
      } else if (!found.has(node.range[0])) put(node, name.length, `${name}Renamed`);
    },
    // Deno shows `{ x = 1 }` as if it were not short.
    ObjectPattern({ properties }) {
      for (const property of properties) {
        if (property.type !== "Property" || property.value.type !== "AssignmentPattern") continue;
        const { key, value: { left } } = property;
        if (key.type !== "Identifier" || key.range[0] !== left.range[0]) continue;
        if (names.has(key.name)) put(key, key.name.length, `${key.name}: ${key.name}Renamed`);
      }
    },
  });
  return found;
}

function specifierTo(from: string, to: string): string {
  const up = "../".repeat(movedPath(from).split("/").length - 1);
  return `./${up}${movedPath(to)}`;
}

function rewritten(source: string, changes: ReadonlyMap<number, Rewrite>): string {
  let text = source;
  for (const [start, change] of [...changes].sort(([a], [b]) => b - a)) {
    text = text.slice(0, start) + change.text + text.slice(start + change.length);
  }
  return text;
}
