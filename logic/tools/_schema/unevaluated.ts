import {
  applyAt,
  type Check,
  type Evaluated,
  isArray,
  isObject,
  mergeEvaluated,
  nothingEvaluated,
  type Run,
  spend,
} from "./run.ts";
import type { JsonValue } from "../../../types/mod.ts";
import type { Keyword, Site } from "./site.ts";

function unevaluatedProperties(site: Site): Check {
  const node = site.below();
  return (value, run, evaluated) => {
    if (!isObject(value) || evaluated!.allNames) return true;
    const names = Object.keys(value);
    spend(run, names.length);
    let fits = true;
    for (const name of names) {
      if (evaluated!.names.has(name) || applyAt(node, name, value[name]!, run)) continue;
      fits = false;
      if (run.report === undefined) break;
    }
    evaluated!.allNames = true;
    return fits;
  };
}

function unevaluatedItems(site: Site): Check {
  const node = site.below();
  return (value, run, evaluated) => {
    if (!isArray(value)) return true;
    let fits = true;
    for (let i = evaluated!.items; i < value.length; i++) {
      if (evaluated!.indices.has(i) || applyAt(node, i, value[i]!, run)) continue;
      fits = false;
      if (run.report === undefined) break;
    }
    evaluated!.items = Infinity;
    return fits;
  };
}

/** The keywords that ask what every other keyword of the schema has evaluated. They come last. */
export const UNEVALUATED_KEYWORDS: Readonly<Record<string, Keyword>> = {
  unevaluatedProperties,
  unevaluatedItems,
};

/** Runs the other checks of a schema on an account of their own, then those that ask for it. */
export function withAccount(others: Check, asking: Check): Check {
  return (value: JsonValue, run: Run, evaluated: Evaluated | undefined): boolean => {
    const own = nothingEvaluated();
    const othersFit = others(value, run, own);
    if (!othersFit && run.report === undefined) return false;
    const fits = asking(value, run, own) && othersFit;
    if (evaluated !== undefined) mergeEvaluated(evaluated, own);
    return fits;
  };
}
