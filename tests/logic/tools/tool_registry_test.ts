import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { defineTool, type Tool, ToolRegistry } from "../../../logic/tools/mod.ts";
import { InvalidRequestError, type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";

interface Change {
  readonly timeoutMs?: number;
  readonly concurrent?: boolean;
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: { readonly [keyword: string]: JsonValue };
  readonly replay?: "never" | "replayable";
  readonly completes?: boolean;
  readonly maxObservationChars?: number;
}

function tool(change: Change = {}): Tool {
  return defineTool({
    name: "a",
    description: "Does a.",
    parameters: { type: "object" },
    execute: () => "done",
    ...change,
  });
}

/** Changes that the types forbid. */
function mistaken(change: Record<string, unknown>): Change {
  return change as Change;
}

Deno.test("defineTool() fills in the defaults and freezes", () => {
  const parameters = { type: "object", properties: { a: { type: "string" } } };
  const made = tool({ parameters });
  parameters.properties.a.type = "number";
  assertEquals({ ...made, execute: undefined }, {
    name: "a",
    description: "Does a.",
    parameters: { type: "object", properties: { a: { type: "string" } } },
    execute: undefined,
    replay: "never",
    completes: false,
    concurrent: false,
  });
  assert(Object.isFrozen(made));
  assert(Object.isFrozen(made.parameters.properties));
});

Deno.test("defineTool() refuses a field that is not as it must be", () => {
  const wrong: [string, unknown[]][] = [
    ["name", ["", "a,b", "a b", "ä", "a/b", "a\n", "x".repeat(129), 5, undefined]],
    ["description", [undefined, 5]],
    ["execute", [undefined, "run"]],
    ["replay", ["always", true]],
    ["completes", ["yes", 1]],
    ["maxObservationChars", [-1, 1.5, NaN, Infinity, "10"]],
    ["timeoutMs", [0, -1, 1.5, NaN, Infinity, "10", 2 ** 31]],
    ["concurrent", ["yes", 1]],
  ];
  for (const [field, values] of wrong) {
    for (const value of values) {
      if (value === undefined && field !== "name" && field !== "description") continue;
      const error = assertThrows(
        () => tool(mistaken({ [field]: value })),
        InvalidRequestError,
      );
      assertEquals([error.field, error.value], [field, value]);
    }
  }
  assertThrows(() => tool(mistaken({ execute: undefined })), InvalidRequestError, "a function");
  for (const name of ["x".repeat(128), "a.b-c_D9", "."]) assertEquals(tool({ name }).name, name);
});

Deno.test("defineTool() refuses parameters that are no supported schema and names the tool", () => {
  const wrong = [
    { type: "obj" },
    { $schema: "http://json-schema.org/draft-03/schema#" },
    { type: "string" },
    { type: ["object", "null"] },
    { $ref: "#/$defs/text", $defs: { text: { type: "string" } } },
    { anyOf: [{ type: "string" }, { type: "array" }] },
    { enum: ["a", null, ["b"]] },
    { const: "a" },
    { allOf: [{ enum: ["a"] }] },
    { $ref: "#/$defs/a~1b", $defs: { "a/b": { const: null } } },
    { anyOf: [{ enum: ["a"] }, { type: "null" }] },
    { pattern: "^(?i)a$" },
    { properties: { a: { $ref: "https://example.com/a.json" } } },
    true,
    null,
    [],
  ];
  for (const parameters of wrong) {
    const error = assertThrows(() => tool(mistaken({ parameters })), UnsupportedSchemaError);
    assertStringIncludes(error.message, 'tool "a")');
  }
});

Deno.test("defineTool() takes parameters that some object fits", () => {
  const right: object[] = [
    { enum: ["a", { b: 1 }] },
    { const: { b: 1 } },
    { anyOf: [{ enum: ["a"] }, { type: "object" }] },
    { anyOf: [{ const: "a" }, { required: ["b"] }] },
    { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
  ];
  for (const parameters of right) {
    assertEquals(tool(mistaken({ parameters })).parameters, parameters);
  }
});

Deno.test("defineTool() and executor() refuse a field that there is not, and name the nearest", () => {
  const slips: [change: Record<string, unknown>, message: string][] = [
    [{ needsApproval: true }, "needsApproval"],
    [{ param: {} }, 'did you mean "parameters"?'],
    [{ complete: true }, 'did you mean "completes"?'],
    [{ maxObservation: 5 }, 'did you mean "maxObservationChars"?'],
  ];
  for (const [change, message] of slips) {
    assertThrows(() => tool(mistaken(change)), InvalidRequestError, message);
  }
  const registry = ToolRegistry.of([tool()]);
  const slip = { text: {} } as object;
  assertThrows(() => registry.executor(slip), InvalidRequestError, 'did you mean "texts"?');
});

Deno.test("defineTool() passes on what a getter of the parameters throws", () => {
  const parameters = {
    get type(): string {
      throw new RangeError("mine");
    },
  };
  assertThrows(() => tool({ parameters }), RangeError, "mine");
});

Deno.test("ToolRegistry.of() refuses a name that is there twice, and tools that are none", () => {
  const error = assertThrows(() => ToolRegistry.of([tool(), tool()]), InvalidRequestError);
  assertEquals([error.field, error.value], ["tools[1].name", "a"]);
  assertThrows(() => ToolRegistry.of([{ ...tool(), name: "a,b" }]), InvalidRequestError);
});

Deno.test("ToolRegistry has one order, whatever order the tools were given in", () => {
  const tools = ["b", "a", "B", "a.b"].map((name) => tool({ name }));
  const forward = ToolRegistry.of(tools);
  const backward = ToolRegistry.of(tools.toReversed());
  assertEquals(forward.names, ["B", "a", "a.b", "b"]);
  assertEquals(
    JSON.stringify(forward.schemaForModel()),
    JSON.stringify(backward.schemaForModel()),
  );
  assertEquals(forward.executor().parameters(), backward.executor().parameters());
});

Deno.test("ToolRegistry shows a model names, descriptions and parameters, deep-frozen", () => {
  const registry = ToolRegistry.of([tool({ parameters: { properties: { x: {} } } })]);
  const [schema] = registry.schemaForModel();
  assertEquals(schema, {
    name: "a",
    description: "Does a.",
    parameters: { properties: { x: {} } },
  });
  assert(Object.isFrozen(registry));
  assert(Object.isFrozen(registry.names));
  assert(Object.isFrozen(registry.schemaForModel()));
  assert(Object.isFrozen(schema));
  assert(Object.isFrozen((schema!.parameters as { properties: { x: JsonValue } }).properties.x));
});

Deno.test("ToolRegistry.subset() is a registry of its own", () => {
  const registry = ToolRegistry.of(["a", "b", "c"].map((name) => tool({ name })));
  assertEquals(registry.subset(["c", "a", "c"]).names, ["a", "c"]);
  assertEquals(registry.subset([]).names, []);
  assertEquals(registry.names, ["a", "b", "c"]);
  assertEquals(registry.subset(["c"]).schemaForModel().map(({ name }) => name), ["c"]);
  assertThrows(() => registry.subset(["a", "x"]), InvalidRequestError, "only a, b, c");
  assertThrows(() => registry.subset([]).subset(["a"]), InvalidRequestError, "only none");
});

Deno.test("ToolRegistry.toolDigest() changes with everything that a tool is, but its code", () => {
  const digestOf = (change: Change) => ToolRegistry.of([tool(change)]).toolDigest("a");
  const base = digestOf({});
  assertEquals(base.slice(0, 7), "sha256:");
  const changes: Change[] = [
    { description: "Does a!" },
    { parameters: { type: "object", required: [] } },
    { replay: "replayable" },
    { completes: true },
    { maxObservationChars: 10 },
    { timeoutMs: 10 },
    { concurrent: true },
  ];
  const digests = changes.map(digestOf);
  assertEquals(new Set([base, ...digests]).size, 8);
  assertEquals(digestOf({ concurrent: false }), base);
  assertEquals(digestOf(mistaken({ execute: () => "other" })), base);
  assertEquals(
    digestOf({ parameters: { a: 1, b: 2 } }),
    digestOf({ parameters: { b: 2, a: 1 } }),
  );
  assertThrows(() => ToolRegistry.of([]).toolDigest("a"), InvalidRequestError, '"a"');
});

Deno.test("ToolRegistry.executor() has the tools and every text in its parameters", () => {
  const parametersOf = (change: Change, texts = {}) =>
    ToolRegistry.of([tool(change)]).executor({ texts }).parameters();
  const base = parametersOf({});
  assertEquals(Object.keys(base), [
    "tools",
    "wording",
    "text.malformed_action",
    "text.unknown_tool",
    "text.invalid_arguments",
    "text.violation",
    "text.error",
    "text.no_result",
    "text.timed_out",
    "text.unshowable_result",
    "text.truncation_notice",
  ]);
  assertNotEquals(parametersOf({ description: "x" }).tools, base.tools);
  assertNotEquals(parametersOf({ name: "b" }).tools, base.tools);
  for (const key of Object.keys(base).filter((key) => key.startsWith("text."))) {
    const name = key.slice(5).replace(/_[a-z]/g, (part) => part[1]!.toUpperCase());
    const changed = parametersOf({}, { [name]: "x" });
    assertEquals(
      Object.keys(base).filter((other) => changed[other] !== base[other]),
      [key],
    );
  }
});

Deno.test("ToolRegistry.executor() refuses texts that are none", () => {
  const executor = (texts: Record<string, unknown>) => () =>
    ToolRegistry.of([]).executor({ texts: texts as Record<string, string> });
  assertThrows(executor({ noResult: 5 }), InvalidRequestError, '"texts.noResult"');
  assertThrows(executor({ noresult: "x" }), InvalidRequestError, '"texts.noresult"');
  assertThrows(executor({ toString: "x" }), InvalidRequestError, '"texts.toString"');
});

Deno.test("new ToolRegistry() is refused with what makes a registry, where no compiler refuses it", () => {
  for (const given of [[], undefined, [{ name: "square" }]]) {
    const error = assertThrows(() => Reflect.construct(ToolRegistry, [given]), InvalidRequestError);
    assertStringIncludes(error.message, "a registry is made by ToolRegistry.of([…])");
  }
});
