import type { Documentation } from "../architecture/api/public_api.ts";
import type { Doc } from "../architecture/api/type_text.ts";

/** A doc comment of the public API. */
export interface DocComment {
  /** What it is about, such as `RunStore.readRun`. */
  readonly name: string;
  readonly text: string;
  readonly tags: readonly { readonly kind: string; readonly [field: string]: unknown }[];
}

/** Every doc comment of the public API, those of members included. */
export function docComments({ nodes }: Documentation): readonly DocComment[] {
  const found = new Map<string, DocComment>();
  const visit = (name: string, doc: Doc) => {
    if (doc.jsDoc !== undefined) {
      const { doc: text = "", tags = [] } = doc.jsDoc;
      found.set(`${name}\n${text}`, { name, text, tags });
    }
    const { def = {} } = doc;
    for (const kind of ["constructors", "properties", "methods"]) {
      for (const member of def[kind] ?? []) visit(`${name}.${member.name}`, member);
    }
  };
  for (const { symbols } of Object.values(nodes)) {
    for (const { name, declarations } of symbols) {
      for (const declaration of declarations) visit(name, declaration);
    }
  }
  return [...found.values()];
}

/** What is wrong with a doc comment; nothing if it reads as it was written. */
export function docFaults(
  { name, text, tags }: DocComment,
  known: ReadonlySet<string>,
): readonly string[] {
  const faults: string[] = [];
  const whole = [text, ...tags.map((tag) => String(tag.doc ?? ""))].join("\n");
  const thrown = tags.filter(({ kind }) => kind === "throws").map(thrownError);
  for (const [index, error] of thrown.entries()) {
    if (!/^[A-Z]\w*Error$/.test(error)) faults.push(`it throws "${error}", which is no error`);
    if (thrown.indexOf(error) !== index) faults.push(`it throws ${error} twice`);
  }
  for (const { kind, value, doc } of tags) {
    if (kind === "unsupported") faults.push(`a tag that is not understood: ${value}`);
    if (kind === "default" && (!isBalanced(String(value)) || doc !== undefined)) {
      faults.push(`a default that is cut off: ${value}`);
    }
  }
  if (/@(?:default|throws|returns)/.test(whole)) faults.push("a tag in the middle of a line");
  for (const [, target] of whole.matchAll(/\{@link(?:code)? ([\w$]+)/g)) {
    if (!known.has(target!)) faults.push(`a link to ${target}, which is not public`);
  }
  return faults.map((fault) => `${name}: ${fault}`);
}

/**
 * What is missing in the doc comments of the unions that are made of an array, `(typeof X)[number]`: `deno doc` does
 * not show their members, so that the comment has to name each.
 */
export function unnamedMembers({ nodes }: Documentation): readonly string[] {
  const symbols = Object.values(nodes).flatMap((module) => module.symbols);
  const members = new Map(
    symbols.map(({ name, declarations }) => [name, literalsOf(declarations[0]?.def.tsType)]),
  );
  const missing = symbols.flatMap(({ name, declarations: [declaration] }) => {
    const { kind, value } = declaration?.def.tsType ?? {};
    if (declaration?.kind !== "typeAlias" || kind !== "indexedAccess") return [];
    const array = value.objType.value?.value ?? value.objType.value;
    return (members.get(array) ?? [])
      .filter((member) => !docComment(declaration).includes(`\`${member}\``))
      .map((member) => `${name}: \`${member}\``);
  });
  return [...new Set(missing)];
}

function docComment({ jsDoc }: Doc): string {
  return jsDoc?.doc ?? "";
}

/** The strings that a type is made of. */
function literalsOf(type: Doc): readonly string[] {
  if (Array.isArray(type)) return type.flatMap(literalsOf);
  if (typeof type !== "object" || type === null) return [];
  return type.kind === "string" ? [type.string] : Object.values(type).flatMap(literalsOf);
}

/** The error that a tag names, or what stands there in its place. */
function thrownError({ tsType, doc }: Doc): string {
  return tsType?.repr ?? doc ?? "";
}

function isBalanced(value: string): boolean {
  return [["{", "}"], ["(", ")"], ["[", "]"]]
    .every(([open, close]) => value.split(open!).length === value.split(close!).length);
}
