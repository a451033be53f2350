import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { toolNames } from "../../../../adapters/_wire/prompt/tool_names.ts";
import { ModelCallError } from "../../../../types/mod.ts";

const names = (tools: readonly string[], maxLength = 64) =>
  toolNames(tools.map((name) => ({ name, description: "", parameters: {} })), maxLength);

Deno.test("toolNames() maps any tool name to letters, digits, _ and - of the length, and back", () => {
  const tools = ["a", "A-b_9", "a.b", "x".repeat(64), "x".repeat(65), `${"x".repeat(64)}y`, "."];
  const mapped = names(tools);
  const wires = tools.map(mapped.toWire);
  assertEquals(wires.slice(0, 4), ["a", "A-b_9", "a_b", "x".repeat(64)]);
  assertEquals(wires.at(-1), "_");
  for (const wire of wires) assert(/^[A-Za-z0-9_-]{1,64}$/.test(wire), wire);
  assertEquals(wires.map(mapped.fromWire), tools);
  assertNotEquals(wires[4], wires[5]);
  assertEquals(wires.map(names([]).toWire), wires, "a name that fits stays");
});

Deno.test("toolNames() gives names that no tool has a form too, and leaves them on the way back", () => {
  const mapped = names(["a.b"]);
  assertEquals(["", "x y", "水🌊", "\ud83c"].map(mapped.toWire), ["_", "x_y", "__", "_"]);
  assertEquals(["x_y", "", "constructor"].map(mapped.fromWire), ["x_y", "", "constructor"]);
});

Deno.test("toolNames() refuses two tools of one form", () => {
  for (const tools of [["a.b", "a_b"], ["a_b", "a.b"], ["..", "__"]]) {
    const error = assertThrows(
      () => names(tools),
      ModelCallError,
      `"${tools[0]}" and "${tools[1]}"`,
    );
    assertEquals([error.kind, error.retriable], ["bad_request", false]);
  }
});
