import { assertEquals } from "@std/assert";
import { isSameJson } from "../../../logic/_recovery/is_same_json.ts";
import { canonicalJson, type JsonValue } from "../../../types/mod.ts";
import { jsonValues } from "../../types/json_values.ts";

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
