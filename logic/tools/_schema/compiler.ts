import {
  excerpt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  UnsupportedSchemaError,
} from "../../../types/mod.ts";
import { memberOf } from "../_json/pointer.ts";
import { ARRAY_KEYWORDS } from "./arrays.ts";
import { LOGIC_KEYWORDS } from "./logic.ts";
import { OBJECT_KEYWORDS } from "./objects.ts";
import { currentForm } from "./current_form.ts";
import {
  dialectOf,
  givenKeyword,
  refuseOtherAccounts,
  refuseUnsupported,
  UNNAMED,
} from "./dialects.ts";
import { identifiersOf, NO_URI, readReference } from "./identifiers.ts";
import {
  type Link,
  locate,
  memberPlace,
  type Place,
  refuseLoops,
  rootPlace,
  type Scope,
  type Target,
} from "./references.ts";
import { type Check, type Evaluated, fail, type Node } from "./run.ts";
import { SCALAR_KEYWORDS } from "./scalars.ts";
import { asObject, type Keyword, type Site } from "./site.ts";
import { UNEVALUATED_KEYWORDS, withAccount } from "./unevaluated.ts";

interface Reference {
  readonly text: string;
  /** Where the reference is. */
  readonly pointer: string;
  /** The URI that it is relative to. */
  readonly base: string;
  readonly link: Link;
}

interface Compilation {
  /** Every schema found so far, in the order of finding: what is not compiled yet waits at the end. */
  readonly queue: Target[];
  readonly byUri: Map<string, Target>;
  /** By URI, `#` and anchor. */
  readonly byAnchor: Map<string, Target>;
  /** Every reference found so far; they are resolved when all schemas are compiled, which may find more of both. */
  readonly references: Reference[];
}

/** A compiled document. */
export interface CompiledDocument {
  readonly root: Node;
  /** The document as the current dialect writes it. */
  inCurrentForm(): JsonValue;
}

/** Compiles a whole document, without recursion. */
export function compileDocument(document: JsonValue): CompiledDocument {
  const compilation: Compilation = {
    queue: [],
    byUri: new Map(),
    byAnchor: new Map(),
    references: [],
  };
  const { queue, references } = compilation;
  const place = rootPlace(document);
  const root = targetAt(compilation, place, "false", { dialect: UNNAMED, uri: NO_URI });
  compilation.byUri.set(NO_URI, root);
  for (let compiled = 0, resolved = 0;;) {
    const target = queue[compiled];
    const reference = references[resolved];
    if (target !== undefined) {
      compileTarget(compilation, target);
      compiled++;
    } else if (reference !== undefined) {
      resolve(compilation, reference);
      resolved++;
    } else {
      break;
    }
  }
  refuseLoops(queue);
  refuseOtherAccounts(queue);
  return { root, inCurrentForm: () => currentForm(place) };
}

function targetAt(
  compilation: Compilation,
  place: Place,
  keyword: string,
  scope: Scope,
): Target {
  if (place.target !== undefined) return place.target;
  const target: Target = { check: pass, place, keyword, scope, inPlace: [] };
  place.target = target;
  compilation.queue.push(target);
  return target;
}

function resolve(compilation: Compilation, { text, pointer, base, link }: Reference): void {
  const { uri, fragment } = readReference(text, pointer, base);
  const owner = compilation.byUri.get(uri);
  if (owner === undefined) {
    throw new UnsupportedSchemaError(
      pointer,
      `the reference ${JSON.stringify(excerpt(text, 200))} leads out of the schema: ` +
        `put what it means into "$defs" and refer to "#/$defs/<name>"`,
    );
  }
  if (fragment === "" || fragment.startsWith("/")) {
    const place = locate(owner.place, fragment);
    if (place !== undefined) {
      link.to = targetAt(compilation, place, "$ref", owner.scope);
      return;
    }
  }
  const named = compilation.byAnchor.get(`${uri}#${fragment}`);
  if (named === undefined) {
    throw new UnsupportedSchemaError(
      pointer,
      `the reference ${JSON.stringify(excerpt(text, 200))} leads nowhere in the schema`,
    );
  }
  link.to = named;
}

function compileTarget(compilation: Compilation, target: Target): void {
  const { keyword, place: { pointer, value: schema } } = target;
  if (schema === true) return;
  if (schema === false) {
    const fault = { rule: keyword, schemaPointer: pointer, expected: "no value" };
    target.check = (value, run) => fail(run, fault, value);
    return;
  }
  if (!isJsonObject(schema)) {
    throw new UnsupportedSchemaError(pointer, "a schema must be an object, true or false");
  }
  identify(compilation, target, schema);
  refuseUnsupported(schema, pointer, target.scope.dialect);
  const others = checksOf(compilation, target, schema, KEYWORDS);
  const asking = checksOf(compilation, target, schema, UNEVALUATED_KEYWORDS);
  target.check = asking.length === 0 ? every(others) : withAccount(every(others), every(asking));
}

/** Reads how a schema is read and referred to. */
function identify(compilation: Compilation, target: Target, schema: JsonObject): void {
  const { scope, place: { pointer } } = target;
  const dialect = dialectOf(schema, pointer, scope.dialect);
  const { uri, anchor } = identifiersOf(schema, pointer, dialect, scope.uri);
  target.scope = { dialect, uri: uri ?? scope.uri };
  if (uri !== undefined) note(compilation.byUri, uri, target, `the URI "${uri}"`);
  if (anchor === undefined) return;
  note(compilation.byAnchor, `${target.scope.uri}#${anchor}`, target, `the anchor "${anchor}"`);
}

function note(known: Map<string, Target>, key: string, target: Target, what: string): void {
  if (known.has(key)) {
    throw new UnsupportedSchemaError(target.place.pointer, `another part has ${what} too`);
  }
  known.set(key, target);
}

function checksOf<E extends Evaluated | undefined>(
  compilation: Compilation,
  target: Target,
  schema: JsonObject,
  keywords: Readonly<Record<string, Keyword<E>>>,
): Check<E>[] {
  const checks: Check<E>[] = [];
  for (const [keyword, compile] of Object.entries(keywords)) {
    const site = siteOf(compilation, target, schema, keyword);
    const check = site && compile(site);
    if (check !== undefined) checks.push(check);
  }
  return checks;
}

/** A keyword of a schema. Absent: the schema does not have it. */
function siteOf(
  compilation: Compilation,
  target: Target,
  schema: JsonObject,
  keyword: string,
): Site | undefined {
  const given = givenKeyword(schema, keyword, target.scope.dialect);
  const value = given === undefined ? undefined : memberOf(schema, given);
  if (given === undefined || value === undefined) return undefined;
  const place = memberPlace(target.place, given);
  const { pointer } = place;
  const below = (token?: string | number): Target =>
    targetAt(
      compilation,
      token === undefined ? place : memberPlace(place, String(token)),
      given,
      target.scope,
    );
  return {
    keyword: given,
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
      target.reference = link;
      compilation.references.push({ text, pointer, base: target.scope.uri, link });
      return link;
    },
    sibling: (other) => siteOf(compilation, target, schema, other),
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

function every<E extends Evaluated | undefined>(checks: readonly Check<E>[]): Check<E> {
  if (checks.length < 2) return checks[0] ?? pass;
  return (value, run, evaluated) => {
    let fits = true;
    for (const check of checks) { // the innermost loop: a function less than `allPass` takes
      if (check(value, run, evaluated)) continue;
      if (run.report === undefined) return false;
      fits = false;
    }
    return fits;
  };
}
