import { assertEquals } from "@std/assert";
import { parameterDrifts } from "../../../logic/_recovery/mod.ts";

Deno.test("parameterDrifts() names every key that differs, by code point, with both values", () => {
  const recorded = { same: "1", changed: "a", removed: "x", "\uffff": "1", empty: "" };
  const current = { added: "", "🌊": "1", changed: "b", same: "1" };
  assertEquals(parameterDrifts(recorded, current), [
    { key: "added", kind: "added", current: "" },
    { key: "changed", kind: "changed", recorded: "a", current: "b" },
    { key: "empty", kind: "removed", recorded: "" },
    { key: "removed", kind: "removed", recorded: "x" },
    { key: "\uffff", kind: "removed", recorded: "1" },
    { key: "🌊", kind: "added", current: "1" },
  ]);
});

Deno.test("parameterDrifts() looks at order and prototypes in vain", () => {
  assertEquals(parameterDrifts({ a: "1", b: "2" }, { b: "2", a: "1" }), []);
  assertEquals(parameterDrifts({}, { constructor: "c" }), [
    { key: "constructor", kind: "added", current: "c" },
  ]);
  const hostile = JSON.parse('{"__proto__":"x"}');
  assertEquals(parameterDrifts(hostile, {}), [
    { key: "__proto__", kind: "removed", recorded: "x" },
  ]);
});
