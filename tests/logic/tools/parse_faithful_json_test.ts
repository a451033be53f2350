import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseFaithfulJson } from "../../../logic/tools/mod.ts";
import { MAX_JSON_DEPTH } from "../../../types/mod.ts";

function faultOf(text: string): string {
  const result = parseFaithfulJson(text);
  return result.ok ? "none" : result.error;
}

function detailOf(text: string): string {
  const result = parseFaithfulJson(text);
  return result.ok ? "none" : result.detail;
}

Deno.test("parseFaithfulJson() reads what JSON.parse reads", () => {
  const texts = [
    "null",
    " true ",
    "false",
    '"a\\"b\\\\"',
    '"1e400 -0 {\\"a\\":1,\\"a\\":1}"',
    "[]",
    "{}",
    "[[],{},[[{}]]]",
    '{"a":{"b":[1,2,{"c":"\\\\"}]},"b":"a","":0}',
    '{"a":[{"k":1},{"k":2}],"k":3}',
    '\t{ "a" :\n[ 1 , "x" ] , "b" : { "a" : null } }\r',
  ];
  for (const text of texts) {
    assertEquals(parseFaithfulJson(text), { ok: true, value: JSON.parse(text) }, text);
  }
});

Deno.test("parseFaithfulJson() keeps __proto__ as data", () => {
  const result = parseFaithfulJson('{"__proto__":{"x":1}}');
  assertEquals(JSON.stringify(result), '{"ok":true,"value":{"__proto__":{"x":1}}}');
});

Deno.test("parseFaithfulJson() takes numbers that are written back with the same value", () => {
  const numbers = [
    "0",
    "0.0",
    "0e5",
    "1",
    "-1",
    "1.0",
    "1.50",
    "-0.1",
    "100",
    "1e2",
    "1E+2",
    "1e-7",
  ];
  numbers.push("0.000001", "1e21", "123456789012345", "9007199254740991", "9007199254740992");
  numbers.push("0.30000000000000004", "1.7976931348623157e308", "5e-324", "100000000000000000000");
  numbers.push(`1${"0".repeat(300)}`, `0.${"0".repeat(300)}1`, `1${"0".repeat(400)}e-400`);
  for (const text of numbers) {
    assertEquals(parseFaithfulJson(`[${text}]`), { ok: true, value: [Number(text)] }, text);
  }
});

Deno.test("parseFaithfulJson() refuses numbers that would become another", () => {
  const numbers = ["-0", "-0.0", "-0e5", "1e400", "-1e400", "1e-400", "12345678901234567890"];
  numbers.push("9007199254740993", "0.1000000000000000055", "1.00000000000000000001", "4e-324");
  numbers.push("1e99999999999999999999", "1e-99999999999999999999", "123456789012345678e-3");
  for (const text of numbers) {
    assertEquals(faultOf(text), "unfaithful_number", text);
    assertEquals(faultOf(`{"a":[${text}]}`), "unfaithful_number", text);
  }
});

Deno.test("parseFaithfulJson() refuses a key that an object has twice", () => {
  assertEquals(faultOf('{"a":1,"a":1}'), "duplicate_key");
  assertEquals(faultOf('{"a":1,"\\u0061":1}'), "duplicate_key");
  assertEquals(faultOf('{"__proto__":1,"__proto__":2}'), "duplicate_key");
  assertEquals(faultOf('[{"x":{"a":{},"b":[{"a":1}],"a":2}}]'), "duplicate_key");
  assertEquals(faultOf('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}],"c":"a"}'), "none");
});

Deno.test("parseFaithfulJson() refuses what is not JSON and repairs nothing", () => {
  const texts = ["", "{", '{"path":"a","content":"half', "{'a':1}", "{a:1}", "[1,]", '{"a":1} x'];
  texts.push("NaN", "undefined", "01", "+1", ".5", "\ufeff{}", '"\n"', "// x\n{}");
  for (const text of texts) assertEquals(faultOf(text), "invalid_json", text);
});

Deno.test("parseFaithfulJson() refuses nesting that no other part of the library takes", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assertEquals(faultOf(nested(MAX_JSON_DEPTH)), "none");
  assertEquals(faultOf(nested(MAX_JSON_DEPTH + 1)), "invalid_json");
  assertEquals(faultOf(nested(200_000)), "invalid_json");
  assertEquals(faultOf('{"a":'.repeat(200_000) + "1" + "}".repeat(200_000)), "invalid_json");
});

Deno.test("parseFaithfulJson() names the place", () => {
  assertEquals(
    detailOf('{"a":[1,{"b/c~d":-0}]}'),
    '$.a[1]["b/c~d"]: -0 is not exact as a number: write it as a string',
  );
  assertEquals(detailOf("1e400"), "$: 1e400 is not exact as a number: write it as a string");
  assertEquals(
    detailOf(`[[],[[0],{}],-0.${"0".repeat(100)}]`),
    `$[2]: -0.${"0".repeat(57)}… is not exact as a number: write it as a string`,
  );
  assertEquals(
    detailOf('{"a":[{},{"b":1,"b":2}]}'),
    "$.a[1].b: the object has this key twice",
  );
  assertEquals(
    detailOf("[".repeat(1001) + "]".repeat(1001)),
    "it is nested deeper than 1000 levels at offset 1000",
  );
  const named = parseFaithfulJson('{"a":1e400}', "arguments");
  assert(!named.ok);
  assertStringIncludes(named.detail, "arguments.a: 1e400");
  const long = detailOf(`{"${"k".repeat(1_000_000)}":1e400}`);
  assert(long.length < 300, long.slice(0, 300));
  for (const cut of ['{"q":', '{"q":"a', "[1", ""]) {
    assertStringIncludes(detailOf(cut), `position ${cut.length}`, cut);
  }
});

Deno.test("parseFaithfulJson() takes hostile texts in linear time", () => {
  assertEquals(faultOf(`"${"\\\\".repeat(500_000)}"`), "none");
  assertEquals(faultOf(`"${'\\"'.repeat(500_000)}"`), "none");
  assertEquals(faultOf(`[1${"0".repeat(500_000)}1]`), "unfaithful_number");
  assertEquals(faultOf(`[0.${"0".repeat(500_000)}]`), "none");
  assertEquals(faultOf(`[${"{},".repeat(200_000)}{}]`), "none");
});
