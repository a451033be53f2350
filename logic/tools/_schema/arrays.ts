import { valueHash } from "../_json/value_hash.ts";
import {
  allPass,
  applyAt,
  type Check,
  fail,
  type Node,
  reporting,
  type Run,
  spend,
} from "./run.ts";
import { asCount, faultOf, type Keyword, misused, type Site } from "./site.ts";
import {
  counted,
  isJsonArray,
  isJsonObject,
  isSameJson,
  type JsonValue,
} from "../../../types/mod.ts";

function prefixItems(site: Site): Check {
  if (!isJsonArray(site.value)) throw misused(site, "an array of schemas");
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
    const equal = firstEqualPair(value, run);
    return equal === undefined ||
      fail(run, fault, value, `equal items at ${equal[0]} and ${equal[1]}`);
  };
}

/** The places of the first item that equals an earlier one, the earlier first. Whoever makes hashes collide pays for it. */
function firstEqualPair(items: readonly JsonValue[], run: Run): [number, number] | undefined {
  const plain = new Set<JsonValue>();
  const structured = new Map<number, number[]>();
  for (const [i, item] of items.entries()) {
    if (!isJsonArray(item) && !isJsonObject(item)) {
      spend(run, typeof item === "string" ? 1 + (item.length >> 6) : 1);
      if (plain.has(item)) return [items.indexOf(item), i];
      plain.add(item);
      continue;
    }
    const hash = valueHash(item, run);
    const alike = structured.get(hash) ?? [];
    const isSame = (at: number) => isSameJson(items[at] ?? null, item, () => spend(run, 1));
    const earlier = alike.find(isSame);
    if (earlier !== undefined) return [earlier, i];
    if (alike.push(i) === 1) structured.set(hash, alike);
  }
  return undefined;
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
