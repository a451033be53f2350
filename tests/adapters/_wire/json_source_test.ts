import { assertEquals } from "@std/assert";
import { jsonSource, textOf } from "../../../adapters/_wire/json_source.ts";

Deno.test("jsonSource() gives every value of a text as it is written", () => {
  const text = String
    .raw` { "a" : [ 1.50 , "x ] } \" \\" , { "b" : { } , "2" : [ ] , "1" : null } ] , "long":12345678901234567890 } `;
  const source = jsonSource(text);
  const array = source.member("a");
  const object = array.item(2);
  assertEquals(array.item(0).compact(), "1.50");
  assertEquals(array.item(1).compact(), String.raw`"x ] } \" \\"`);
  assertEquals(object.compact(), '{"b":{},"2":[],"1":null}');
  assertEquals(object.member("2").compact(), "[]");
  assertEquals(object.member("1").compact(), "null");
  assertEquals(source.member("long").compact(), "12345678901234567890");
});

Deno.test("jsonSource() takes the last of two members of one name, as parsing does", () => {
  const text = String.raw`{"a":{"b":1},"\u0061":{"b":2},"c":{"a":3}}`;
  assertEquals(jsonSource(text).member("a").member("b").compact(), "2");
  assertEquals(JSON.parse(text).a.b, 2);
});

Deno.test("jsonSource() reads deep and long texts without recursion", () => {
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  assertEquals(jsonSource(`{"a":${deep},"b":1}`).member("b").compact(), "1");
  assertEquals(jsonSource(`{"a":${deep}}`).member("a").compact(), deep);
});

Deno.test("textOf() gives a string its text, nothing none, and other values as written", () => {
  const source = () => jsonSource(" 7.0 ");
  assertEquals([undefined, null, "", "t"].map((value) => textOf(value, source)), ["", "", "", "t"]);
  assertEquals(textOf(7, source), "7.0");
});
