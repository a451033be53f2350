import { resolvePath } from "./import_fault.ts";
import { layersPlugin } from "./layers_plugin.ts";
import { importOf, isName, isNaming, nameOf } from "./syntax.ts";

/** What one TypeScript file says that the rules of the house want to know. */
export interface FileFacts extends SeveralFiles, Sizes {
  /** What the rules for one file find, each with the rule's id. */
  readonly findings: readonly string[];
}

/** What a rule over several files wants to know. */
interface SeveralFiles {
  /** The paths from the root that it imports or re-exports. */
  readonly imports: readonly string[];
  /** The members that it takes, such as `port.call`, once for each time. */
  readonly members: readonly string[];
  /** The interfaces in it that declare a method. */
  readonly methodInterfaces: readonly string[];
  /** How often it names `fetch`. */
  readonly fetches: number;
}

/** What the limits want to know. */
interface Sizes {
  readonly lines: number;
  /** How often it says `x!`. */
  readonly nonNullAssertions: number;
  /** How often it says `x as T`, other than `as const`. */
  readonly casts: number;
  /** How many lines each of its functions has, those in it included. */
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
}

type Collected<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** Where a tree would be of which only paths and contents are known. */
const ROOT = new URL("file:///tree/");

const KNOWN = new Map<string, FileFacts>();

/** What a file says, told from its path and content alone: each is read once. */
export function fileFacts(path: string, source: string): FileFacts {
  const key = `${path}\n${source}`;
  const facts = KNOWN.get(key) ?? readFacts(path, source);
  KNOWN.set(key, facts);
  return facts;
}

function readFacts(path: string, source: string): FileFacts {
  const several = { imports: [], members: [], methodInterfaces: [], fetches: 0 };
  const sizes = { lines: lineCount(source), nonNullAssertions: 0, casts: 0, functions: [] };
  const { name, rules } = layersPlugin(ROOT);
  const plugin: Deno.lint.Plugin = {
    name,
    rules: {
      ...rules,
      "several-files": { create: (context) => severalFiles(context, path, several) },
      "sizes": { create: (context) => measured(context, sizes) },
    },
  };
  const findings = Deno.lint.runPlugin(plugin, `${ROOT.pathname}${path}`, source)
    .map(({ id, message }) => `${message} (${id})`);
  return { ...several, ...sizes, findings };
}

function severalFiles(
  context: Deno.lint.RuleContext,
  path: string,
  found: Collected<SeveralFiles>,
): Deno.lint.LintVisitor {
  const imported = (node: Deno.lint.Node) => {
    const specifier = importOf(node);
    if (specifier === undefined || !specifier.startsWith(".")) return;
    const target = resolvePath(path, specifier);
    if (target !== undefined) found.imports.push(target);
  };
  return {
    ImportDeclaration: imported,
    ExportAllDeclaration: imported,
    ExportNamedDeclaration: imported,
    ImportExpression: imported,
    TSImportType: imported,
    MemberExpression({ object, property }) {
      const name = nameOf(property);
      if (name !== undefined) found.members.push(`${context.sourceCode.getText(object)}.${name}`);
      if (name === "fetch") found.fetches += 1;
    },
    ObjectPattern({ properties }) {
      for (const property of properties) {
        if (property.type === "Property") found.members.push(`pattern.${nameOf(property.key)}`);
      }
    },
    Identifier(node) {
      if (node.name !== "fetch" || !isNaming(node)) return;
      if (node.parent.type !== "TSTypeQuery") found.fetches += 1;
    },
    TSInterfaceDeclaration({ id, body }) {
      if (body.body.some(({ type }) => type === "TSMethodSignature")) {
        found.methodInterfaces.push(id.name);
      }
    },
  };
}

function measured(
  context: Deno.lint.RuleContext,
  found: Collected<Sizes>,
): Deno.lint.LintVisitor {
  const measure = (
    node:
      | Deno.lint.FunctionDeclaration
      | Deno.lint.FunctionExpression
      | Deno.lint.ArrowFunctionExpression,
  ) => {
    const name = "id" in node && node.id ? node.id.name : "a function without a name";
    found.functions.push({ name, lines: lineCount(context.sourceCode.getText(node)) });
  };
  return {
    TSNonNullExpression: () => void (found.nonNullAssertions += 1),
    TSAsExpression({ typeAnnotation }) {
      const isConst = typeAnnotation.type === "TSTypeReference" &&
        isName(typeAnnotation.typeName, ["const"]);
      if (!isConst) found.casts += 1;
    },
    TSTypeAssertion: () => void (found.casts += 1),
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  };
}

function lineCount(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}
