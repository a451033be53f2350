import { isJsonArray, isJsonObject, type JsonValue } from "../../../types/mod.ts";
import { namesBeside } from "./objects.ts";
import {
  allPass,
  apply,
  type Check,
  type Evaluated,
  fail,
  mergeEvaluated,
  type Node,
  nothingEvaluated,
  reporting,
  type Run,
  spend,
} from "./run.ts";
import { asBranches, asObject, faultOf, type Keyword, misused, type Site } from "./site.ts";

function reference(site: Site): Check {
  if (typeof site.value !== "string") throw misused(site, "a string");
  const link = site.referred(site.value);
  return (value, run, evaluated) => apply(link.to, value, run, evaluated);
}

function allOf(site: Site): Check {
  const branches = asBranches(site);
  return (value, run, evaluated) => {
    return allPass(branches, run, (branch) => apply(branch, value, run, evaluated));
  };
}

/** Tries a schema without a report. What it evaluated counts only if the value fits it. */
function matches(
  branch: Node,
  value: JsonValue,
  run: Run,
  evaluated: Evaluated | undefined,
): boolean {
  const own = nothingEvaluated();
  const account = evaluated === undefined ? undefined : own;
  const fits = reporting(run, undefined, () => apply(branch, value, run, account));
  if (fits && evaluated !== undefined) mergeEvaluated(evaluated, own);
  return fits;
}

/**
 * Says of no branch what is wrong with it, then of each. A member that some branch knows then counts as evaluated:
 * what is wrong is the branch, not that the member is there.
 */
function explain(
  branches: readonly Node[],
  value: JsonValue,
  run: Run,
  evaluated: Evaluated | undefined,
): void {
  if (run.report === undefined) return;
  for (const branch of branches) apply(branch, value, run, evaluated);
}

function anyOf(site: Site): Check {
  const branches = asBranches(site);
  const fault = faultOf(site, `a value that fits at least one of ${branches.length} schemas`);
  return (value, run, evaluated) => {
    let fits = false;
    for (const branch of branches) {
      if (!matches(branch, value, run, evaluated)) continue;
      fits = true;
      if (evaluated === undefined) break;
    }
    if (fits) return true;
    fail(run, fault, value);
    explain(branches, value, run, evaluated);
    return false;
  };
}

function oneOf(site: Site): Check {
  const branches = asBranches(site);
  const fault = faultOf(site, `a value that fits exactly one of ${branches.length} schemas`);
  return (value, run, evaluated) => {
    const fitting: number[] = [];
    for (const [i, branch] of branches.entries()) {
      if (matches(branch, value, run, evaluated)) fitting.push(i);
      if (fitting.length === 2) break;
    }
    if (fitting.length === 1) return true;
    if (fitting.length === 2) {
      return fail(run, fault, value, `a value that fits those at ${fitting.join(" and ")}`);
    }
    fail(run, fault, value);
    explain(branches, value, run, evaluated);
    return false;
  };
}

function not(site: Site): Check {
  const node = site.inPlace();
  const fault = faultOf(site, "a value that does not fit the schema there");
  return (value, run) => !matches(node, value, run, undefined) || fail(run, fault, value);
}

function conditional(site: Site): Check {
  const condition = site.inPlace();
  const whenTrue = site.sibling("then")?.inPlace();
  const whenFalse = site.sibling("else")?.inPlace();
  return (value, run, evaluated) => {
    const branch = matches(condition, value, run, evaluated) ? whenTrue : whenFalse;
    return branch === undefined || apply(branch, value, run, evaluated);
  };
}

function dependentSchemas(site: Site): Check {
  return schemasBeside(site, Object.keys(asObject(site)));
}

/** Applies the schemas of those names of the keyword that are names of the value's properties too. */
function schemasBeside(site: Site, names: readonly string[]): Check {
  const branches = names.map((name) => ({ name, node: site.inPlace(name) }));
  return (value, run, evaluated) => {
    if (!isJsonObject(value)) return true;
    spend(run, branches.length >> 3);
    let fits = true;
    for (const { name, node } of branches) {
      if (Object.hasOwn(value, name) && !apply(node, value, run, evaluated)) fits = false;
    }
    return fits;
  };
}

/** What older drafts have for both `dependentRequired` and `dependentSchemas`. */
function dependencies(site: Site): Check {
  const entries = Object.entries(asObject(site));
  const [lists, schemas] = [
    entries.filter(([, needed]) => isJsonArray(needed)),
    entries.filter(([, needed]) => !isJsonArray(needed)),
  ];
  const namesAreThere = namesBeside(site, lists);
  const schemasFit = schemasBeside(site, schemas.map(([name]) => name));
  return (value, run, evaluated) =>
    allPass([namesAreThere, schemasFit], run, (check) => check(value, run, evaluated));
}

/** The keywords that apply schemas to the value at hand itself. */
export const LOGIC_KEYWORDS: Readonly<Record<string, Keyword>> = {
  $ref: reference,
  allOf,
  anyOf,
  oneOf,
  not,
  if: conditional,
  dependentSchemas,
  dependencies,
};
