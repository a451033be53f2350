import {
  counted,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  quotedName,
} from "../../../types/mod.ts";
import { pointerOf } from "../_json/pointer.ts";
import type { SchemaViolation } from "../schema_violation.ts";

/** How many schemas may be applied inside one another to one value, references included. */
export const MAX_SCHEMA_DEPTH = 1_000;
/** How many violations {@link SchemaViolation} lists hold at most, before one that says so. */
export const MAX_SCHEMA_VIOLATIONS = 100;
/** How much work one validation may do; a small tool call needs some ten units. */
export const MAX_SCHEMA_WORK = 2_000_000;

/** Which members of one array or object some keyword has evaluated already: what `unevaluated*` asks for. */
export interface Evaluated {
  readonly names: Set<string>;
  allNames: boolean;
  /** How many items from the first are evaluated. */
  items: number;
  readonly indices: Set<number>;
}

/** One validation under way. */
export interface Run {
  /** Where violations go. Absent: nobody wants them, and the first one ends the check. */
  report: SchemaViolation[] | undefined;
  /** Where in the value the check stands, kept only while there is a report. */
  readonly path: (string | number)[];
  /** Whether the value at hand is the name of a property. */
  isName: boolean;
  depth: number;
  work: number;
}

/** Whether a value fits a keyword or a whole schema; notes what it evaluated if there is somebody to tell. */
export type Check<E extends Evaluated | undefined = Evaluated | undefined> = (
  value: JsonValue,
  run: Run,
  evaluated: E,
) => boolean;

/** A compiled schema. Its check is there once all schemas of the document are compiled. */
export interface Node {
  check: Check;
}

/** What a keyword says when it is broken. */
export interface Fault {
  readonly rule: string;
  readonly schemaPointer: string;
  readonly expected: string;
}

/** Thrown to end a validation whose limit is reached; the message says which one. */
export class LimitReached extends Error {}

/** Nothing is evaluated yet. */
export function nothingEvaluated(): Evaluated {
  return { names: new Set(), allNames: false, items: 0, indices: new Set() };
}

/** Adds what one schema evaluated to what another did. */
export function mergeEvaluated(into: Evaluated, from: Evaluated): void {
  for (const name of from.names) into.names.add(name);
  for (const index of from.indices) into.indices.add(index);
  into.allNames ||= from.allNames;
  into.items = Math.max(into.items, from.items);
}

/** Counts work, so that no schema and value take for ever together. */
export function spend(run: Run, work: number): void {
  run.work += work;
  if (run.work > MAX_SCHEMA_WORK) throw new LimitReached("a value that takes less work to check");
}

/** Goes one level deeper; the caller comes back by `run.depth--`. */
export function enter(run: Run): void {
  if (++run.depth > MAX_SCHEMA_DEPTH) {
    throw new LimitReached(`at most ${MAX_SCHEMA_DEPTH} schemas inside one another`);
  }
}

/** Applies a schema to the value at hand. */
export function apply(
  node: Node,
  value: JsonValue,
  run: Run,
  evaluated: Evaluated | undefined,
): boolean {
  enter(run);
  spend(run, 1);
  const fits = node.check(value, run, evaluated);
  run.depth--;
  return fits;
}

/** Applies a schema to a member of the value at hand. */
export function applyAt(node: Node, key: string | number, value: JsonValue, run: Run): boolean {
  if (run.report === undefined) return apply(node, value, run, undefined);
  run.path.push(key);
  const fits = apply(node, value, run, undefined);
  run.path.pop();
  return fits;
}

/** Whether every item passes. All are checked where somebody wants to know what is wrong, else up to the first that fails. */
export function allPass<T>(
  items: readonly T[],
  run: Run,
  passes: (item: T, index: number) => boolean,
): boolean {
  let pass = true;
  let index = 0;
  for (const item of items) {
    if (passes(item, index++)) continue;
    pass = false;
    if (run.report === undefined) break;
  }
  return pass;
}

/** Runs a check with another report, or with none. */
export function reporting(
  run: Run,
  report: SchemaViolation[] | undefined,
  check: () => boolean,
): boolean {
  const before = run.report;
  run.report = report;
  const fits = check();
  run.report = before;
  return fits;
}

/** Reports a violation at the value at hand, if anybody wants to know. Always `false`. */
export function fail(run: Run, fault: Fault, value: JsonValue, found?: string): false {
  if (run.report === undefined) return false;
  if (run.report.length === MAX_SCHEMA_VIOLATIONS) {
    throw new LimitReached(`at most ${MAX_SCHEMA_VIOLATIONS} violations`);
  }
  run.report.push({
    pointer: pointerOf(run.path),
    rule: run.isName ? "propertyNames" : fault.rule,
    expected: run.isName ? `a name: ${fault.expected}` : fault.expected,
    found: found ?? shown(value),
    schemaPointer: fault.schemaPointer,
  });
  return false;
}

/** A value for a message: short, whatever it is. */
export function shown(value: JsonValue): string {
  if (isJsonArray(value)) return `an array of ${counted(value.length, "item")}`;
  if (isJsonObject(value)) return `an object of ${counted(Object.keys(value).length, "property")}`;
  if (typeof value !== "string") return JSON.stringify(value);
  return quotedName(value);
}
