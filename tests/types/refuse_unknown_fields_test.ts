import { assertEquals, assertThrows } from "@std/assert";
import { InvalidRequestError, refuseUnknownFields } from "../../types/mod.ts";

const KNOWN = ["permissions", "timeoutMs", "maxSteps", "approval", "model"];

function refusal(given: object, where?: Parameters<typeof refuseUnknownFields>[2]): string {
  return assertThrows(() => refuseUnknownFields(given, KNOWN, where), InvalidRequestError).message;
}

Deno.test("refuseUnknownFields() takes fields that there are, also without a value", () => {
  refuseUnknownFields({}, KNOWN);
  refuseUnknownFields({ model: "m", timeoutMs: undefined }, KNOWN);
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
    const error = assertThrows(() => refuseUnknownFields(given as object, KNOWN));
    assertEquals((error as InvalidRequestError).field, "options");
  }
});
