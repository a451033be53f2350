import { assertEquals, assertMatch } from "@std/assert";
import { hidingEnv } from "../../../adapters/_mcp/hiding.ts";
import { readTools as read } from "../../../adapters/_mcp/tools/offered_tools.ts";
import type { JsonValue } from "../../../types/mod.ts";
import { ECHO } from "./mcp_sides.ts";

const HIDING = hidingEnv({ API_KEY: "sk-0123456789" });
const readTools = (listed: JsonValue[], repeatsParams: boolean) =>
  read(listed, repeatsParams, HIDING);

Deno.test("readTools() keeps the schema as it came, and of the hints what is one", () => {
  const inputSchema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { at: { type: "array", items: [{ type: "number" }] } },
  };
  const annotations = { title: "Mark it", readOnlyHint: true, idempotentHint: "yes" };
  const { offered, rejected } = readTools([{ name: "mark", inputSchema, annotations }], false);
  assertEquals(rejected, []);
  assertEquals(offered, [{
    tool: {
      name: "mark",
      title: "Mark it",
      description: "",
      inputSchema,
      annotations: { readOnlyHint: true },
    },
    headers: [],
  }]);
});

Deno.test("readTools() rejects what no tool can be made of, with the reason, and keeps the others", () => {
  const schema = { type: "object" };
  let deep: JsonValue = { type: "object" };
  for (let i = 0; i < 2_000; i++) deep = { type: "object", properties: { a: deep } };
  const bad: [JsonValue, string, RegExp][] = [
    [5, "tools[0]", /no object/],
    [{ inputSchema: schema }, "tools[0]", /no name/],
    [{ name: "a b", inputSchema: schema }, "a b", /must match/],
    [{ name: "x".repeat(129), inputSchema: schema }, "x".repeat(129), /must match/],
    [{ name: "", inputSchema: schema }, "", /must match/],
    [{ name: "a", description: 5, inputSchema: schema }, "a", /description/],
    [{ name: "a" }, "a", /inputSchema/],
    [{ name: "a", inputSchema: [] }, "a", /inputSchema/],
    [{ name: "a", inputSchema: { type: "string" } }, "a", /type "object"/],
    [{ name: "a", inputSchema: { $ref: "https://example.com/s.json" } }, "a", /schema/],
    [{ name: "a", inputSchema: { type: "object", minProperties: "2" } }, "a", /minProperties/],
    [{ name: "a", inputSchema: { ...schema, title: "x".repeat(1_000_001) } }, "a", /longer than/],
    [{ ...ECHO, name: "a", description: "Takes sk-0123456789" }, "a", /^it repeats a secret that/],
    [{ name: "a", inputSchema: deep }, "a", /deep/],
  ];
  for (const [value, name, reason] of bad) {
    const { offered, rejected } = readTools([value, ECHO], false);
    assertEquals(offered.map(({ tool }) => tool.name), ["echo"]);
    assertEquals(rejected.map((each) => each.name), [name]);
    assertMatch(rejected[0]?.reason ?? "", reason);
  }
});

Deno.test("readTools() counts a tool that is there twice once, and rejects two of one name", () => {
  const other = { ...ECHO, description: "Sends it away" };
  assertEquals(readTools([ECHO, { ...ECHO }], false).offered.length, 1);
  const { offered, rejected } = readTools([ECHO, other, ECHO], false);
  assertEquals(offered, []);
  assertEquals(rejected, [{
    name: "echo",
    reason: "the server lists different tools of this name",
  }]);
});

Deno.test("readTools() rejects a wrong mark for a header where headers repeat parameters", () => {
  const properties = { a: { type: "number", "x-mcp-header": "A" } };
  const marked = { name: "a", inputSchema: { type: "object", properties } };
  assertEquals(readTools([marked], false).offered.length, 1);
  assertMatch(readTools([marked], true).rejected[0]?.reason ?? "", /x-mcp-header at \/a/);
});
