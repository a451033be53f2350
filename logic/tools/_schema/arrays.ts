import { equalityKey } from "../_json/equality_key.ts";
import { allPass, applyAt, type Check, fail, type Node, reporting, type Run } from "./run.ts";
import { asCount, faultOf, type Keyword, misused, type Site } from "./site.ts";
import { counted, isJsonArray, type JsonValue } from "../../../types/mod.ts";

function prefixItems(site: Site): Check {
  if (!isJsonArray(site.value) || site.value.length === 0) {
    throw misused(site, "an array of at least one schema");
  }
  const nodes = site.value.map((_, i) => site.below(i));
  return (value, run, evaluated) => {
    if (!isJsonArray(value)) return true;
    const fits = eachItem(value, run, (i) => nodes[i]);
    if (evaluated !== undefined) evaluated.items = Math.max(evaluated.items, nodes.length);
    return fits;
  };
}

function items(site: Site): Check {
  if (isJsonArray(site.value)) {
    throw misused(site, `one schema; for an array of schemas use "prefixItems"`);
  }
  const node = site.below();
  const prefix = site.sibling("prefixItems")?.value;
  const start = isJsonArray(prefix) ? prefix.length : 0;
  return (value, run, evaluated) => {
    if (!isJsonArray(value)) return true;
    const fits = eachItem(value, run, (i) => i < start ? undefined : node);
    if (evaluated !== undefined) evaluated.items = Infinity;
    return fits;
  };
}

/** Whether each item fits the schema that is there for its place, if one is. */
function eachItem(
  value: readonly JsonValue[],
  run: Run,
  nodeOf: (index: number) => Node | undefined,
): boolean {
  return allPass(value, run, (item, i) => {
    const node = nodeOf(i);
    return node === undefined || applyAt(node, i, item, run);
  });
}

function contains(site: Site): Check {
  const node = site.below();
  const minSite = site.sibling("minContains");
  const maxSite = site.sibling("maxContains");
  const min = minSite === undefined ? 1 : asCount(minSite);
  const max = maxSite === undefined ? Infinity : asCount(maxSite);
  const tooFew = faultOf(minSite ?? site, `at least ${counted(min, "item")} as "contains" asks`);
  const tooMany = faultOf(maxSite ?? site, `at most ${counted(max, "item")} as "contains" asks`);
  return (value, run, evaluated) => {
    if (!isJsonArray(value)) return true;
    let count = 0;
    reporting(run, undefined, () => {
      for (const [i, item] of value.entries()) {
        if (!applyAt(node, i, item, run)) continue;
        count++;
        evaluated?.indices.add(i);
      }
      return true;
    });
    if (count < min) return fail(run, tooFew, value, counted(count, "such item"));
    return count <= max || fail(run, tooMany, value, counted(count, "such item"));
  };
}

function uniqueItems(site: Site): Check | undefined {
  if (typeof site.value !== "boolean") throw misused(site, "true or false");
  if (!site.value) return undefined;
  const fault = faultOf(site, "items that all differ");
  return (value, run) => {
    if (!isJsonArray(value) || value.length < 2) return true;
    const places = new Map<string, number>();
    for (const [i, item] of value.entries()) {
      const key = equalityKey(item, run);
      const earlier = places.get(key);
      if (earlier !== undefined) {
        return fail(run, fault, value, `equal items at ${earlier} and ${i}`);
      }
      places.set(key, i);
    }
    return true;
  };
}

function size(words: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (site) => {
    const limit = asCount(site);
    const fault = faultOf(site, `${words} ${counted(limit, "item")}`);
    return (value, run) =>
      !isJsonArray(value) || holds(value.length, limit) || fail(run, fault, value);
  };
}

/** A keyword that only says something together with another one: its value is checked, and no more. */
function count(site: Site): undefined {
  asCount(site);
}

/** The keywords that look into an array. */
export const ARRAY_KEYWORDS: Readonly<Record<string, Keyword>> = {
  minItems: size("at least", (count, limit) => count >= limit),
  maxItems: size("at most", (count, limit) => count <= limit),
  uniqueItems,
  prefixItems,
  items,
  contains,
  minContains: count,
  maxContains: count,
};
