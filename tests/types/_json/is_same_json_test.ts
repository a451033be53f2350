import { assertEquals } from "@std/assert";
import { canonicalJson, isSameJson, type JsonValue } from "../../../types/mod.ts";
import { jsonValues } from "../json_values.ts";

Deno.test("isSameJson() says of every pair of values what their canonical JSON says", () => {
  const hostile: readonly JsonValue[] = [
    {},
    [],
    { a: 1 },
    { b: 1 },
    { a: 1, b: 1 },
    [null],
    [[]],
    JSON.parse('{"constructor":1}'),
  ];
  const values = [...jsonValues(150), ...hostile];
  for (const a of values) {
    for (const b of values) {
      assertEquals(isSameJson(a, b), canonicalJson(a) === canonicalJson(b), JSON.stringify([a, b]));
    }
  }
});
