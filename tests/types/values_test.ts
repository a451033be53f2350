import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import * as types from "../../types/mod.ts";

Deno.test("digest() is sha256 of the UTF-8, as Python's hashlib gives it", () => {
  const known = {
    "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "é🌊": "a320dcbdadb2e93365c93f3f1dab5e88ede1d785f347b2e341f655302cb020bf",
    "\ud83c": "83d544ccc223c057d2bf80d3f2a32982c32c3c0db8e2674820da5064783fb097",
  };
  for (const [text, hex] of Object.entries(known)) {
    assertEquals(types.digest(text), `sha256:${hex}`);
  }
});

Deno.test("present() drops undefined and nothing else", () => {
  const given = { a: undefined, b: null, c: 0, d: "", e: false, f: [undefined] };
  assertEquals(Object.entries(types.present(given)), Object.entries(given).slice(1));
});

Deno.test("errorInfo() tells what was thrown, whatever it is", () => {
  const hostile = {
    toString() {
      throw new Error("no");
    },
  };
  class NamedError extends Error {
    override name = "NamedError";
  }
  const told: readonly (readonly [unknown, string, string])[] = [
    [new TypeError("x"), "TypeError", "x"],
    [new NamedError("y"), "NamedError", "y"],
    ["text", "string", "text"],
    [undefined, "undefined", "undefined"],
    [null, "object", "null"],
    [Symbol("s"), "symbol", "Symbol(s)"],
    [hostile, "object", "(it cannot be shown as text)"],
    [Object.assign(new Error("m"), { name: 5 }), "5", "m"],
  ];
  for (const [thrown, name, message] of told) {
    assertEquals(types.errorInfo(thrown), { name, message });
  }
});

Deno.test("errorInfoWithStack() adds the beginning of a stack, where there is one", () => {
  const info = { name: "Error", message: "m" };
  const withStack = (stack: unknown) => Object.assign(new Error("m"), { stack });
  const told: readonly (readonly [unknown, object])[] = [
    [withStack("s"), { ...info, stack: "s" }],
    [withStack("🌊".repeat(2_001)), { ...info, stack: "🌊".repeat(2_000) }],
    [withStack(undefined), info],
    [withStack(5), info],
    [
      Object.defineProperty(new Error("m"), "stack", {
        get() {
          throw new Error("no");
        },
      }),
      info,
    ],
    ["text", { name: "string", message: "text" }],
  ];
  for (const [thrown, expected] of told) {
    assertEquals<object>(types.errorInfoWithStack(thrown), expected);
  }
});

/** Every union with an array of its members; a member is only ever added, never removed or renamed. */
const UNIONS = {
  ROLES: "system user assistant tool",
  CONTENT_BLOCK_TYPES: "text tool_call tool_result",
  DECISION_KINDS: "action final_answer invalid",
  FINISH_REASONS: "stop tool_calls length content_filter refusal pause malformed unknown",
  REPLAY_POLICIES: "never replayable",
  TOOL_PROTOCOLS: "text native",
  ACTION_STATUSES: "executed not_executed environment_failed unknown",
  STEP_OUTCOMES: "acted final_answer invalid_decision model_call_failed model_outcome_unknown " +
    "environment_failed action_outcome_unknown cancelled",
  STOP_REASONS: "cancelled time_budget_exhausted step_budget_exhausted " +
    "model_call_budget_exhausted token_budget_exhausted context_overflow tool_completed " +
    "environment_completed final_answer repeated_action invalid_decisions rejected_actions " +
    "model_call_failed environment_failed",
  LOG_RECORD_TYPES: "run_started context_edit context_edit_failed model_call_intent " +
    "model_call_withdrawn model_reply decision " +
    "action_intent action_withdrawn action_result step run_finished",
} as const;

for (const [name, members] of Object.entries(UNIONS)) {
  Deno.test(`${name} has its members in order`, () => {
    assertEquals([...types[name as keyof typeof UNIONS]], members.split(" "));
  });
}

Deno.test("each error has the base, its name, and its own stable code", () => {
  const { RunLogCorruptError, StoreFailedError, ModelCallError } = types;
  const errors: readonly (readonly [types.PolyLoopError, string, types.ErrorCode])[] = [
    [new types.InvalidRequestError("f", 1, "x"), "InvalidRequestError", "invalid_request"],
    [new types.PortContractError("p", "$", "x"), "PortContractError", "port_contract"],
    [new types.ParameterDriftError("r", []), "ParameterDriftError", "parameter_drift"],
    [new types.RunExistsError("r"), "RunExistsError", "run_exists"],
    [new types.RunNotFoundError("r"), "RunNotFoundError", "run_not_found"],
    [new types.RunConflictError("r", 1, "x"), "RunConflictError", "run_conflict"],
    [new types.RunLockedError("r", "x"), "RunLockedError", "run_locked"],
    [new types.RunSuspendedError("r"), "RunSuspendedError", "run_suspended"],
    [new RunLogCorruptError("r", 1, "chain", "x"), "RunLogCorruptError", "run_log_corrupt"],
    [new types.SchemaVersionError("r", 1, "2.0", "x"), "SchemaVersionError", "schema_version"],
    [new types.SerializationError("$", "x"), "SerializationError", "serialization"],
    [new StoreFailedError({ action: "list" }, "x"), "StoreFailedError", "store_failed"],
    [new types.EnvironmentError("x"), "EnvironmentError", "environment"],
    [
      new ModelCallError("x", { kind: "server", retriable: true, status: 500 }),
      "ModelCallError",
      "model_call",
    ],
    [new types.UnsupportedSchemaError("/a", "x"), "UnsupportedSchemaError", "unsupported_schema"],
  ];
  for (const [error, name, code] of errors) {
    assertInstanceOf(error, types.PolyLoopError);
    assertEquals([error.name, error.code], [name, code]);
    assert(types.ERROR_CODES.includes(error.code) && !error.message.endsWith("."), error.message);
  }
});

Deno.test("RunLogCorruptError shows no more than 1,000 code points of a reason, its beginning and its end", () => {
  const { RunLogCorruptError } = types;
  const long = `a${"🌊".repeat(5_000)}z`;
  const { reason, message } = new RunLogCorruptError("r", 1, "chain", long);
  assertEquals([...reason].length, 1_000);
  assertEquals([reason[0], reason.at(-1), reason.includes("…")], ["a", "z", true]);
  assert(message.endsWith(reason), message);
  const whole = "x".repeat(999);
  assertEquals(new RunLogCorruptError("r", 1, "chain", whole).reason, whole);
});

Deno.test("errorInfo() keeps what a failed call says of itself, as far as it is what it must be", () => {
  const error = { name: "E", message: "m", kind: "server" } as const;
  const retries = [{ error, waitedMs: 5 }];
  const failed = new types.ModelCallError("m", { kind: "timeout", retriable: false, retries });
  const said = { name: "ModelCallError", message: "m" };
  assertEquals(types.errorInfo(failed), { ...said, kind: "timeout", retriable: false, retries });
  const bare = new types.ModelCallError("m", { kind: "timeout", retriable: true });
  assertEquals(types.errorInfo(bare), { ...said, kind: "timeout", retriable: true });
  for (const junk of [[], "x", [5], [{ error, waitedMs: NaN }], [{ error: { name: 5 } }]]) {
    const details = { kind: "audio", retriable: "no", retries: junk };
    assertEquals(types.errorInfo(new types.ModelCallError("m", details as never)), said);
  }
});

Deno.test("InvalidRequestError quotes the value, whatever it is", () => {
  const values: readonly (readonly [unknown, string])[] = [
    ["a\n", '"a\\n"'],
    [undefined, "nothing"],
    [5, "5"],
    ["x".repeat(300), "…"],
    [Object.create(null), "object"],
    [[], "[]"],
    [[5], "an array of 1 item"],
    [{}, "an empty object"],
    [{ a: 1, "b\n\u202e": 2 }, "an object with a, b \\u{202e}"],
    [Symbol("s\n"), "Symbol(s )"],
    [new Map(), "an object of the class Map"],
    [Object.defineProperty(() => {}, "name", { value: "f\n" }), "the function f"],
  ];
  for (const [value, shown] of values) {
    const { message } = new types.InvalidRequestError("f", value, "it is so");
    assert(message.startsWith('Cannot use "f" as it is so: '), message);
    assert(message.endsWith(shown) && message.length < 300, message);
  }
});
