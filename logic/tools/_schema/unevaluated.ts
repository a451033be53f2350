import {
  allPass,
  applyAt,
  type Check,
  type Evaluated,
  mergeEvaluated,
  nothingEvaluated,
  type Run,
  spend,
} from "./run.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../types/mod.ts";
import type { Keyword, Site } from "./site.ts";

function unevaluatedProperties(site: Site): Check<Evaluated> {
  const node = site.below();
  return (value, run, evaluated) => {
    if (!isJsonObject(value) || evaluated.allNames) return true;
    const members = Object.entries(value);
    spend(run, members.length);
    const fits = allPass(
      members,
      run,
      ([name, member]) => evaluated.names.has(name) || applyAt(node, name, member, run),
    );
    evaluated.allNames = true;
    return fits;
  };
}

function unevaluatedItems(site: Site): Check<Evaluated> {
  const node = site.below();
  return (value, run, evaluated) => {
    if (!isJsonArray(value)) return true;
    const fits = allPass(
      value,
      run,
      (item, i) => i < evaluated.items || evaluated.indices.has(i) || applyAt(node, i, item, run),
    );
    evaluated.items = Infinity;
    return fits;
  };
}

/** The keywords that ask what every other keyword of the schema has evaluated. They come last. */
export const UNEVALUATED_KEYWORDS: Readonly<Record<string, Keyword<Evaluated>>> = {
  unevaluatedProperties,
  unevaluatedItems,
};

/** Runs the other checks of a schema on an account of their own, then those that ask for it. */
export function withAccount(others: Check, asking: Check<Evaluated>): Check {
  return (value: JsonValue, run: Run, evaluated: Evaluated | undefined): boolean => {
    const own = nothingEvaluated();
    const othersFit = others(value, run, own);
    if (!othersFit && run.report === undefined) return false;
    const fits = asking(value, run, own) && othersFit;
    if (evaluated !== undefined) mergeEvaluated(evaluated, own);
    return fits;
  };
}
