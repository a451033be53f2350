import { type Doc, isOptional, paramText, typeParamsText, typeText } from "./type_text.ts";

interface Declaration {
  readonly kind: string;
  readonly location: { readonly filename: string; readonly line: number };
  readonly def: Doc;
}

/** What `deno doc --json` says of some modules. */
export interface Documentation {
  readonly nodes: Readonly<
    Record<string, {
      readonly symbols: readonly {
        readonly name: string;
        readonly declarations: readonly Declaration[];
      }[];
    }>
  >;
}

/**
 * The public API as sorted lines, each one promise: that an entry point has a name, that an interface has a property
 * of a type, that a union has a member. An entry point is `exports` of `deno.json`, as key and path.
 */
export async function publicApi(
  root: URL,
  exports: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  return apiLines(root, exports, await documentation(root, Object.values(exports)));
}

/** The documentation of modules, each of which is a path from the root. */
export async function documentation(root: URL, paths: readonly string[]): Promise<Documentation> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...paths],
    cwd: root,
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot read the public API: ${decoder.decode(stderr)}`);
  return JSON.parse(decoder.decode(stdout));
}

/** The public API, as {@link publicApi} gives it, of modules that are documented already. */
export function apiLines(
  root: URL,
  exports: Readonly<Record<string, string>>,
  { nodes }: Documentation,
): readonly string[] {
  const lines = new Set<string>();
  const homes = new Map<string, string>();
  const promised = new Set<string>();
  const targets = new Set<string>();
  for (const [key, path] of Object.entries(exports)) {
    for (const { name, declarations } of nodes[new URL(path, root).href]!.symbols) {
      lines.add(`${key} exports ${name}`);
      for (const [index, declaration] of declarations.entries()) {
        if (declaration.kind === "reference") {
          targets.add(name);
          continue;
        }
        const home = declaration.location.filename;
        if ((homes.get(name) ?? home) !== home) {
          throw new Error(`Cannot tell two public things apart: both are named "${name}"`);
        }
        homes.set(name, home);
        promised.add(name);
        for (const line of declarationLines(name, declaration, index)) lines.add(line);
      }
    }
  }
  const unknown = [...targets].filter((name) => !promised.has(name));
  if (unknown.length > 0) throw new Error(`Cannot find the declarations of ${unknown.join(", ")}`);
  return [...lines].sort();
}

function declarationLines(name: string, { kind, def }: Declaration, index: number): string[] {
  const overload = index === 0 ? "" : `#${index}`;
  switch (kind) {
    case "function":
      return callLines(`function ${name}${overload}`, def);
    case "variable":
      return memberTypes(def.tsType).map((type) => `const ${name}: ${type}`);
    case "typeAlias":
      return memberTypes(def.tsType)
        .map((type) => `type ${name}${typeParamsText(def.typeParams)} = ${type}`);
    case "interface":
    case "class":
      return [
        `${kind} ${name}${typeParamsText(def.typeParams)}`,
        ...[def.extends ?? []].flat().map((base: Doc) =>
          `${kind} ${name} extends ${typeof base === "string" ? base : typeText(base)}`
        ),
        ...(def.implements ?? []).map((base: Doc) => `class ${name} implements ${typeText(base)}`),
        ...(def.constructors ?? []).filter(isPublic).flatMap((each: Doc) =>
          callLines(`class ${name}.new`, each)
        ),
        ...(def.properties ?? []).filter(isPublic).map((each: Doc) =>
          `${kind} ${name}.${each.name}${each.optional ? "?" : ""}: ${
            each.readonly ? "readonly " : ""
          }${typeText(each.tsType)}`
        ),
        ...(def.methods ?? []).filter(isPublic).flatMap((each: Doc) =>
          callLines(
            `${kind} ${name}.${each.isStatic ? "static " : ""}${each.name}${
              each.optional ? "?" : ""
            }`,
            each.functionDef ?? each,
          )
        ),
      ];
    default:
      throw new TypeError(`Cannot write down "${name}" as its kind is unknown: "${kind}"`);
  }
}

const isPublic = ({ accessibility }: { readonly accessibility?: string }): boolean =>
  accessibility === undefined || accessibility === "public";

function callLines(name: string, { params, returnType, typeParams }: Doc): string[] {
  return [
    ...params.map((param: Doc, at: number) =>
      `${name}(${at}${isOptional(param) ? "?" : ""}: ${paramText(param).replace(/^\?/, "")})`
    ),
    `${name}${typeParamsText(typeParams)}(): ${returnType ? typeText(returnType) : "itself"}`,
  ];
}

/** A type as its members, where it is a union or a list of values: each of them is a promise of its own. */
function memberTypes(type: Doc): readonly string[] {
  if (type.kind === "union") return type.value.map(typeText);
  if (type.kind === "array" && ["union", "literal"].includes(type.value.kind)) {
    return memberTypes(type.value).map((each) => `[] ${each}`);
  }
  return [typeText(type)];
}

/** What became of the public API since the baseline was written down. */
export interface ApiChange {
  /** Promises that are gone or changed, and members that callers must now bring along. */
  readonly broken: readonly string[];
  /** What is new, and asks nothing of a caller. */
  readonly added: readonly string[];
}

/** Compares the public API with its baseline, both as lines. */
export function apiChange(baseline: readonly string[], current: readonly string[]): ApiChange {
  const before = new Set(baseline);
  const now = new Set(current);
  const declared = new Set(baseline.map(declarationOf));
  const members = new Set(baseline.map(memberOf));
  const added = current.filter((line) => !before.has(line));
  const demanded = added.filter((line) =>
    members.has(memberOf(line))
      ? PARAMETER.test(line)
      : declared.has(declarationOf(line)) && MEMBER.test(line)
  );
  return {
    broken: [
      ...baseline.filter((line) => !now.has(line)).map((line) => `gone: ${line}`),
      ...demanded.map((line) => `now demanded: ${line}`),
    ],
    added: added.filter((line) => !demanded.includes(line)),
  };
}

/** A line about a parameter that may not be left out. */
const PARAMETER = /\(\d+: /;

/** A line about a member of an interface that may not be left out. */
const MEMBER = /^interface [\w$]+\.[\w$]+[:(<]/;

/** The declaration that a line is about, such as `interface Budget`. */
function declarationOf(line: string): string {
  return /^\S+ [\w$]+/.exec(line)?.[0] ?? line;
}

/** The function, property or method that a line is about, such as `interface RunStore.readRun`. */
function memberOf(line: string): string {
  return line.split(/[(<:]/)[0]!;
}
