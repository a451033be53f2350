import { assertEquals, assertThrows } from "@std/assert";
import {
  type FieldPlace,
  InvalidRequestError,
  type KnownFields,
  refuseUnknownFields,
} from "../../types/mod.ts";

interface Options {
  readonly permissions?: string;
  readonly timeoutMs?: number;
  readonly maxSteps?: number;
  readonly approval?: string;
  readonly model?: string;
}
const KNOWN: KnownFields<Options> = {
  permissions: true,
  timeoutMs: true,
  maxSteps: true,
  approval: true,
  model: true,
};

function refusal(given: object, where?: FieldPlace): string {
  return assertThrows(
    () => refuseUnknownFields(given as Options, KNOWN, where),
    InvalidRequestError,
  ).message;
}

Deno.test("refuseUnknownFields() takes fields that there are, also without a value", () => {
  refuseUnknownFields<Options>({}, KNOWN);
  refuseUnknownFields<object>({ model: "m", timeoutMs: undefined }, KNOWN);
});

Deno.test("refuseUnknownFields() names the nearest field that there is, and none that is far", () => {
  const slips: readonly (readonly [string, string | undefined])[] = [
    ["permission", "permissions"],
    ["timeout", "timeoutMs"],
    ["timeout_ms", "timeoutMs"],
    ["MaxSteps", "maxSteps"],
    ["masSteps", "maxSteps"],
    ["needsApproval", "approval"],
    ["modle", "model"],
    ["models", "model"],
    ["temperature", undefined],
    ["", undefined],
    ["__proto__x", undefined],
  ];
  for (const [slip, nearest] of slips) {
    const advice = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
    assertEquals(
      refusal({ model: "m", [slip]: 5 }),
      `Cannot use "${slip}" as there is no such field${advice}: 5`,
    );
  }
});

Deno.test("refuseUnknownFields() keeps secret values out of the error, and names the whole path", () => {
  assertEquals(
    refusal({ apikey: "sk-1" }, { hideValues: true, prefix: "options." }),
    'Cannot use "options.apikey" as there is no such field: "(hidden)"',
  );
});

Deno.test("refuseUnknownFields() refuses what is no object", () => {
  for (const given of [null, undefined, 5, "x", [], () => {}]) {
    const error = assertThrows(() => refuseUnknownFields(given as Options, KNOWN));
    assertEquals((error as InvalidRequestError).field, "options");
  }
});

Deno.test("refuseUnknownFields() advises what the place knows only where no field is near", () => {
  const where = { advice: "it goes into `request`" };
  assertEquals(
    refusal({ temperature: 5 }, where),
    'Cannot use "temperature" as there is no such field (it goes into `request`): 5',
  );
  assertEquals(
    refusal({ modle: 5 }, where),
    'Cannot use "modle" as there is no such field (did you mean "model"?): 5',
  );
});
