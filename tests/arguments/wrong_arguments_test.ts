import { assert, assertEquals } from "@std/assert";
import { PolyLoopError } from "../../types/mod.ts";
import { GOOD_CALLS, GOOD_METHODS } from "./good_calls.ts";
import { type GoodCall, type Place, placesOf, valueAt, withValue } from "./places.ts";
import { type AnyFunction, publicFunctions } from "./public_functions.ts";
import { WRONG_VALUES } from "./wrong_values.ts";

const FUNCTIONS = await publicFunctions();

/** The codes of errors that are an answer to a value that is right by itself, though nothing can be done with it. */
const ANSWERS: readonly string[] = [
  "context_empty",
  "environment",
  "parameter_drift",
  "replay_mismatch",
  "run_log_corrupt",
  "run_not_found",
  "serialization",
];

/** What is wrong with how a function takes a wrong value in a place; nothing if it refuses it well, or takes it. */
async function faultOf(
  called: AnyFunction,
  call: GoodCall,
  place: Place,
  value: string,
): Promise<string | undefined> {
  const wrong = WRONG_VALUES[value]!();
  const where = `${place.join(".")} = ${value}`;
  try {
    await answered(called, withValue(call, place, wrong));
    return undefined;
  } catch (error) {
    if (!(error instanceof PolyLoopError)) return `${where}: ${error}`;
    const names = [...place, ...Object.keys(Object(valueAt(call, place))), ...keysOf(wrong)];
    const isNamed = names.some((name) => error.message.includes(name));
    return isNamed ? undefined : `${where}: the place is not named: ${error.message}`;
  }
}

/** Calls a function; an answer that is an error is one, too. */
async function answered(called: AnyFunction, call: GoodCall): Promise<void> {
  try {
    await called(...Object.values(call) as never[]);
  } catch (error) {
    if (!(error instanceof PolyLoopError && ANSWERS.includes(error.code))) throw error;
  }
}

/** What a wrong object has: an error that names one of its fields names the place. */
function keysOf(wrong: unknown): readonly string[] {
  return typeof wrong === "object" && wrong !== null ? Object.keys(wrong) : [];
}

Deno.test("every public function has a good call here, and there are 40 wrong values", () => {
  assertEquals([...FUNCTIONS.keys()].sort(), Object.keys(GOOD_CALLS).sort());
  assert(Object.keys(WRONG_VALUES).length >= 40);
});

const CASES: readonly (readonly [name: string, called: AnyFunction, call: () => GoodCall])[] = [
  ...Object.entries(GOOD_CALLS).map(([name, call]) => [name, FUNCTIONS.get(name)!, call] as const),
  ...Object.entries(GOOD_METHODS).map(([name, [called, call]]) => [name, called, call] as const),
];

for (const [name, called, call] of CASES) {
  Deno.test(`${name}() takes a good call, and refuses a wrong value in any place by an error that names it`, async () => {
    await answered(called, call());
    const faults: string[] = [];
    for (const place of placesOf(call())) {
      for (const value of Object.keys(WRONG_VALUES)) {
        const fault = await faultOf(called, call(), place, value);
        if (fault !== undefined) faults.push(fault);
      }
    }
    assertEquals(faults, []);
  });
}
