import { type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";
import { ARRAY_KEYWORDS } from "./arrays.ts";
import { LOGIC_KEYWORDS } from "./logic.ts";
import { OBJECT_KEYWORDS } from "./objects.ts";
import {
  anchorOf,
  fragmentOf,
  type Link,
  locate,
  refuseLoops,
  refuseUnsupported,
  type Target,
} from "./references.ts";
import { type Check, fail, isObject, type JsonObject, type Node } from "./run.ts";
import { SCALAR_KEYWORDS } from "./scalars.ts";
import { asObject, type Keyword, pointerBelow, type Site } from "./site.ts";
import { UNEVALUATED_KEYWORDS, withAccount } from "./unevaluated.ts";

interface Reference {
  readonly text: string;
  /** Where the reference is. */
  readonly pointer: string;
  readonly link: Link;
}

interface Compilation {
  readonly document: JsonValue;
  /** Every schema found so far, in the order of finding: what is not compiled yet waits at the end. */
  readonly queue: Target[];
  readonly byPointer: Map<string, Target>;
  readonly byAnchor: Map<string, Target>;
  /** Every reference found so far; they are resolved when all schemas are compiled, which may find more of both. */
  readonly references: Reference[];
}

/** Compiles a whole document, without recursion. */
export function compileDocument(document: JsonValue): Node {
  const compilation: Compilation = {
    document,
    queue: [],
    byPointer: new Map(),
    byAnchor: new Map(),
    references: [],
  };
  const { queue, references } = compilation;
  const root = targetAt(compilation, "", document, "false");
  for (let i = 0, j = 0; i < queue.length || j < references.length;) {
    if (i < queue.length) compileTarget(compilation, queue[i++]!);
    else resolve(compilation, references[j++]!);
  }
  refuseLoops(queue);
  return root;
}

function targetAt(
  compilation: Compilation,
  pointer: string,
  schema: JsonValue,
  keyword: string,
): Target {
  const known = compilation.byPointer.get(pointer);
  if (known !== undefined) return known;
  const target: Target = { check: pass, pointer, schema, keyword, inPlace: [] };
  compilation.byPointer.set(pointer, target);
  compilation.queue.push(target);
  return target;
}

function resolve(compilation: Compilation, { text, pointer, link }: Reference): void {
  const fragment = fragmentOf(text, pointer);
  if (fragment === "" || fragment.startsWith("/")) {
    const place = locate(compilation.document, fragment);
    if (place !== undefined) {
      link.to = targetAt(compilation, place.pointer, place.found, "$ref");
      return;
    }
  }
  const named = compilation.byAnchor.get(fragment);
  if (named === undefined) {
    throw new UnsupportedSchemaError(
      pointer,
      `the reference ${JSON.stringify(text)} leads nowhere in the schema`,
    );
  }
  link.to = named;
}

function compileTarget(compilation: Compilation, target: Target): void {
  const { schema, pointer, keyword } = target;
  if (schema === true) return;
  if (schema === false) {
    const fault = { rule: keyword, schemaPointer: pointer, expected: "no value" };
    target.check = (value, run) => fail(run, fault, value);
    return;
  }
  if (!isObject(schema)) {
    throw new UnsupportedSchemaError(pointer, "a schema must be an object, true or false");
  }
  refuseUnsupported(schema, pointer);
  const anchor = anchorOf(schema, pointer);
  if (anchor !== undefined) {
    if (compilation.byAnchor.has(anchor)) {
      throw new UnsupportedSchemaError(pointer, `another part has the anchor "${anchor}" too`);
    }
    compilation.byAnchor.set(anchor, target);
  }
  const others = checksOf(compilation, target, schema, KEYWORDS);
  const asking = checksOf(compilation, target, schema, UNEVALUATED_KEYWORDS);
  target.check = asking.length === 0 ? every(others) : withAccount(every(others), every(asking));
}

function checksOf(
  compilation: Compilation,
  target: Target,
  schema: JsonObject,
  keywords: Readonly<Record<string, Keyword>>,
): Check[] {
  const checks: Check[] = [];
  for (const [keyword, compile] of Object.entries(keywords)) {
    if (!Object.hasOwn(schema, keyword)) continue;
    const check = compile(siteOf(compilation, target, schema, keyword));
    if (check !== undefined) checks.push(check);
  }
  return checks;
}

function siteOf(
  compilation: Compilation,
  target: Target,
  schema: JsonObject,
  keyword: string,
): Site {
  const value = schema[keyword]!;
  const pointer = `${target.pointer}/${keyword}`;
  const below = (token?: string | number): Target => {
    const schema = token === undefined ? value : (value as JsonObject)[token]!;
    return targetAt(compilation, pointerBelow(pointer, token), schema, keyword);
  };
  return {
    keyword,
    value,
    pointer,
    below,
    inPlace(token) {
      const to = below(token);
      target.inPlace.push({ to });
      return to;
    },
    referred(text) {
      const link: Link = { to: target };
      target.inPlace.push(link);
      compilation.references.push({ text, pointer, link });
      return link;
    },
    sibling: (other) =>
      Object.hasOwn(schema, other) ? siteOf(compilation, target, schema, other) : undefined,
  };
}

/** A keyword that holds a schema without applying it: it is compiled, so that what is wrong in it shows. */
function holdsSchema(site: Site): undefined {
  site.below();
}

function holdsSchemas(site: Site): undefined {
  for (const name of Object.keys(asObject(site))) site.below(name);
}

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  ...SCALAR_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...LOGIC_KEYWORDS,
  then: holdsSchema,
  else: holdsSchema,
  contentSchema: holdsSchema,
  $defs: holdsSchemas,
  definitions: holdsSchemas,
};

function pass(): true {
  return true;
}

function every(checks: readonly Check[]): Check {
  if (checks.length < 2) return checks[0] ?? pass;
  return (value, run, evaluated) => {
    let fits = true;
    for (let i = 0; i < checks.length; i++) {
      if (checks[i]!(value, run, evaluated)) continue;
      if (run.report === undefined) return false;
      fits = false;
    }
    return fits;
  };
}
