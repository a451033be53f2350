import { equalityKey } from "../_json/equal.ts";
import { applyAt, type Check, fail, isArray, type Node, reporting, type Run } from "./run.ts";
import { asCount, faultOf, type Keyword, misused, type Site } from "./site.ts";
import { counted, type JsonValue } from "../../../types/mod.ts";

function prefixItems(site: Site): Check {
  if (!isArray(site.value) || site.value.length === 0) {
    throw misused(site, "an array of at least one schema");
  }
  const nodes = site.value.map((_, i) => site.below(i));
  return (value, run, evaluated) => {
    if (!isArray(value)) return true;
    const fits = eachItem(value, 0, nodes.length, run, (i) => nodes[i]!);
    if (evaluated !== undefined) evaluated.items = Math.max(evaluated.items, nodes.length);
    return fits;
  };
}

function items(site: Site): Check {
  if (isArray(site.value)) {
    throw misused(site, `one schema; for a list of schemas use "prefixItems"`);
  }
  const node = site.below();
  const prefix = site.sibling("prefixItems")?.value;
  const start = isArray(prefix) ? prefix.length : 0;
  return (value, run, evaluated) => {
    if (!isArray(value)) return true;
    const fits = eachItem(value, start, value.length, run, () => node);
    if (evaluated !== undefined) evaluated.items = Infinity;
    return fits;
  };
}

function eachItem(
  value: readonly JsonValue[],
  start: number,
  end: number,
  run: Run,
  nodeOf: (index: number) => Node,
): boolean {
  let fits = true;
  for (let i = start; i < end && i < value.length; i++) {
    if (applyAt(nodeOf(i), i, value[i]!, run)) continue;
    fits = false;
    if (run.report === undefined) break;
  }
  return fits;
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
    if (!isArray(value)) return true;
    let count = 0;
    reporting(run, undefined, () => {
      for (let i = 0; i < value.length; i++) {
        if (!applyAt(node, i, value[i]!, run)) continue;
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
    if (!isArray(value) || value.length < 2) return true;
    const places = new Map<string, number>();
    for (let i = 0; i < value.length; i++) {
      const key = equalityKey(value[i]!, run);
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
    return (value, run) => !isArray(value) || holds(value.length, limit) || fail(run, fault, value);
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
