import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  encodedHeader,
  paramHeaders,
  paramHeaderValues,
} from "../../../adapters/_mcp/eras/param_headers.ts";
import type { JsonObject } from "../../../types/mod.ts";

const mark = (type: string | string[], name = "Region"): JsonObject => ({
  type,
  "x-mcp-header": name,
});

Deno.test("paramHeaders() finds what properties lead to, however deep", () => {
  const place = { type: "object", properties: { region: mark("string") } };
  const schema = {
    type: "object",
    properties: {
      place,
      "x-mcp-header": { type: "string" },
      fast: mark(["boolean", "null"], "Fast"),
    },
    default: { "x-mcp-header": "data" },
    enum: [{ "x-mcp-header": "data" }],
  };
  assertEquals(paramHeaders(schema), [
    { name: "mcp-param-Region", path: ["place", "region"] },
    { name: "mcp-param-Fast", path: ["fast"] },
  ]);
});

Deno.test("paramHeaders() refuses each mark that the protocol forbids", () => {
  const one = (property: JsonObject) => ({ type: "object", properties: { a: property } });
  const bad: [JsonObject, string][] = [
    ...["", "My Region", "a:b", "Région", "a\tb", "a\r\nb"].map((name): [JsonObject, string] => [
      one(mark("string", name)),
      "no token",
    ]),
    [one({ type: "string", "x-mcp-header": 5 }), "no token"],
    ...["number", "object", "array", "null"].map((type): [JsonObject, string] => [
      one(mark(type)),
      "no string, integer or boolean",
    ]),
    [one({ "x-mcp-header": "Untyped" }), "no string, integer or boolean"],
    [{ properties: { a: mark("string", "Id"), b: mark("string", "iD") } }, "twice"],
    [mark("string"), "marks /"],
    ...["items", "allOf", "not", "if", "additionalProperties", "$defs", "patternProperties"].map((
      keyword,
    ): [JsonObject, string] => {
      const inner = ["$defs", "patternProperties"].includes(keyword)
        ? { x: mark("string") }
        : keyword === "allOf"
        ? [mark("string")]
        : mark("string");
      return [one({ type: "object", [keyword]: inner }), "a place that no parameter has"];
    }),
  ];
  for (const [schema, reason] of bad) {
    assertStringIncludes(String(paramHeaders(schema)), reason, JSON.stringify(schema));
  }
});

Deno.test("paramHeaderValues() repeats what is there, and neither null nor what is not", () => {
  const headers = [
    { name: "mcp-param-a", path: ["a"] },
    { name: "mcp-param-b", path: ["deep", "b"] },
    { name: "mcp-param-c", path: ["a", "c"] },
    { name: "mcp-param-d", path: ["toString"] },
    { name: "mcp-param-e", path: ["e"] },
  ];
  assertEquals(paramHeaderValues(headers, { a: -7, deep: { b: false }, e: null }), {
    "mcp-param-a": "-7",
    "mcp-param-b": "false",
  });
});

Deno.test("encodedHeader() sends as it is what HTTP carries as it is, and the rest in Base64", () => {
  const cases: [string, string][] = [
    ["us-west1", "us-west1"],
    ["us west 1", "us west 1"],
    ["", ""],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["a\tb", "=?base64?YQli?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["=?base64?", "=?base64?"],
  ];
  for (const [text, expected] of cases) assertEquals(encodedHeader(text), expected, text);
});
