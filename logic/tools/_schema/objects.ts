import { counted, isJsonObject, type JsonValue } from "../../../types/mod.ts";
import { allPass, applyAt, type Check, fail, type Node, spend } from "./run.ts";
import { asCount, asNames, asObject, asPattern, faultOf, type Keyword, type Site } from "./site.ts";

function required(site: Site): Check {
  const rules = asNames(site).map((name) => ({
    name,
    fault: faultOf(site, `a property ${JSON.stringify(name)}`),
  }));
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    spend(run, rules.length >> 3);
    return allPass(
      rules,
      run,
      ({ name, fault }) => Object.hasOwn(value, name) || fail(run, fault, value, "none"),
    );
  };
}

function dependentRequired(site: Site): Check {
  return namesBeside(site, Object.entries(asObject(site)));
}

/** Asks, beside each name, for the names that its list in the keyword has. */
export function namesBeside(site: Site, lists: readonly [string, JsonValue][]): Check {
  const rules = lists.map(([name, needed]) => ({
    name,
    needed: asNames(site, needed).map((other) => ({
      other,
      fault: faultOf(site, `a property ${JSON.stringify(other)} beside ${JSON.stringify(name)}`),
    })),
  }));
  const size = rules.reduce((sum, { needed }) => sum + 1 + needed.length, 0);
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    spend(run, size >> 3);
    let fits = true;
    for (const { name, needed } of rules) {
      if (!Object.hasOwn(value, name)) continue;
      for (const { other, fault } of needed) {
        if (!Object.hasOwn(value, other)) fits = fail(run, fault, value, "none");
      }
    }
    return fits;
  };
}

/** `properties`, `patternProperties` and `additionalProperties` in one pass over the value. */
function members(
  named: ReadonlyMap<string, Node>,
  patterns: readonly { readonly regExp: RegExp; readonly node: Node }[],
  others: Node | undefined,
): Check {
  return (value, run, evaluated) => {
    if (!isJsonObject(value)) return true;
    const entries = Object.entries(value);
    spend(run, entries.length * (1 + patterns.length));
    let fits = true;
    for (const [name, member] of entries) {
      const own = named.get(name);
      let isKnown = own !== undefined;
      if (own !== undefined && !applyAt(own, name, member, run)) fits = false;
      for (const { regExp, node } of patterns) {
        if (!regExp.test(name)) continue;
        isKnown = true;
        if (!applyAt(node, name, member, run)) fits = false;
      }
      if (isKnown) evaluated?.names.add(name);
      else if (others !== undefined && !applyAt(others, name, member, run)) fits = false;
      if (!fits && run.report === undefined) return false;
    }
    if (evaluated !== undefined && others !== undefined) evaluated.allNames = true;
    return fits;
  };
}

function namedSchemas(site: Site | undefined): ReadonlyMap<string, Node> {
  if (site === undefined) return new Map();
  return new Map(Object.keys(asObject(site)).map((name) => [name, site.below(name)]));
}

function patternSchemas(site: Site | undefined): { regExp: RegExp; node: Node }[] {
  if (site === undefined) return [];
  return Object.keys(asObject(site)).map((source) => ({
    regExp: asPattern(site, source),
    node: site.below(source),
  }));
}

/** The three keywords are one check: the first of them that a schema has makes it. */
const MEMBER_KEYWORDS = ["properties", "patternProperties", "additionalProperties"] as const;

function memberKeyword(site: Site): Check | undefined {
  const [named, patterns, others] = MEMBER_KEYWORDS.map((keyword) => site.sibling(keyword));
  if (site.keyword !== (named ?? patterns ?? others)?.keyword) return undefined;
  return members(namedSchemas(named), patternSchemas(patterns), others?.below());
}

function propertyNames(site: Site): Check {
  const node = site.below();
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    run.isName = true;
    const fits = allPass(Object.keys(value), run, (name) => applyAt(node, name, name, run));
    run.isName = false;
    return fits;
  };
}

function size(words: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (site) => {
    const limit = asCount(site);
    const fault = faultOf(site, `${words} ${counted(limit, "property")}`);
    return (value, run) =>
      !isJsonObject(value) || holds(Object.keys(value).length, limit) || fail(run, fault, value);
  };
}

/** The keywords that look into an object. */
export const OBJECT_KEYWORDS: Readonly<Record<string, Keyword>> = {
  required,
  dependentRequired,
  minProperties: size("at least", (count, limit) => count >= limit),
  maxProperties: size("at most", (count, limit) => count <= limit),
  propertyNames,
  properties: memberKeyword,
  patternProperties: memberKeyword,
  additionalProperties: memberKeyword,
};
