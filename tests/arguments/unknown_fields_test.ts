import { assertRejects, assertStringIncludes } from "@std/assert";
import { InvalidRequestError } from "../../types/mod.ts";
import { GOOD_CALLS, GOOD_METHODS } from "./good_calls.ts";
import { type GoodCall, withValue } from "./places.ts";
import { type AnyFunction, publicFunctions } from "./public_functions.ts";

/** What arguments are called that are read field by field. */
const READ_BY_FIELD = ["options", "spec", "subject"];

const FUNCTIONS = await publicFunctions();

const CASES: readonly (readonly [name: string, called: AnyFunction, call: () => GoodCall])[] = [
  ...Object.entries(GOOD_CALLS).map(([name, call]) => [name, FUNCTIONS.get(name)!, call] as const),
  ...Object.entries(GOOD_METHODS).map(([name, [called, call]]) => [name, called, call] as const),
];

for (const [name, called, call] of CASES) {
  for (const argument of Object.keys(call()).filter((each) => READ_BY_FIELD.includes(each))) {
    Deno.test(`${name}() refuses a field of its ${argument} that there is not, and names the nearest`, async () => {
      const given = Object(call()[argument]);
      const refused = async (field: string) => {
        const changed = withValue(call(), [argument], { ...given, [field]: 1 });
        const args = Object.values(changed) as never[];
        return await assertRejects(async () => await called(...args), InvalidRequestError);
      };
      assertStringIncludes((await refused("zzz")).message, 'zzz" as there is no such field');
      const [known = ""] = Object.keys(given);
      const { message } = await refused(`${known}x`);
      assertStringIncludes(message, `there is no such field (did you mean "${known}"?)`);
    });
  }
}
