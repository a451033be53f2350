import { assertEquals } from "@std/assert";
import { serverErrorIn, serverFailure } from "../../../adapters/_wire/server_error.ts";
import type { JsonValue, ModelCallErrorKind } from "../../../types/mod.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");

/** `kind`, followed by `*` where the failure is retriable. */
function verdict(body: JsonValue, status = 200, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body);
  const error = serverErrorIn(body, text) ?? { message: text, names: [], fields: {} };
  const failure = serverFailure(error, { status, headers: new Headers(headers) }, NOW);
  return failure.kind + (failure.retriable ? "*" : "");
}

Deno.test("serverErrorIn() finds an error in each of its forms, and none elsewhere", () => {
  const message = (body: JsonValue) => serverErrorIn(body, "as it came")?.message;
  assertEquals(message({ error: { message: "m" } }), "m");
  assertEquals(message({ error: "m" }), "m");
  assertEquals(message({ object: "error", message: "m" }), "m");
  assertEquals(message({ type: "error", message: "m" }), "m");
  assertEquals(message({ type: "error", error: { message: "m" } }), "m");
  assertEquals(message([{ error: { message: "m" } }]), "m");
  assertEquals(message({ errors: [{ message: "m" }] }), "m");
  assertEquals(message({ error: { error: { message: "m" } } }), "m");
  assertEquals(message({ code: 429, message: "m" }), "m");
  assertEquals(message({ message: "m" }), "m");
  assertEquals(message({ choices: [{ index: 0 }, { error: { message: "m" } }] }), "m");
  assertEquals(message({ choices: [{ content_filter_result: { error: { message: "m" } } }] }), "m");
  assertEquals(message({ choices: [{ content_filter_results: { error: "m" } }] }), "m");
  assertEquals(message({ error: [{ message: "m" }] }), "m");
  assertEquals(message({ error: true, msg: "m" }), "m");
  assertEquals(message({ detail: "m" }), "m");
  assertEquals(message({ error: { message: 7 } }), "as it came");
  assertEquals(message({ error: 503 }), "as it came");
  for (
    const none of [
      ...[null, 1, "error", [], {}, { error: null }, { error: "" }, { error: false }],
      ...[{ error: {} }, { error: [] }, { error: { message: "", type: "", code: null } }],
      { choices: [{ error: { code: 0, message: "" } }] },
      ...[{ error: 0 }, { error: "None" }, { error: { code: 200, message: "OK" } }],
      { object: "chat.completion", choices: [] },
      { object: "chat.completion", message: "m" },
      { type: "message", message: "m", content: [] },
      { type: "notice", message: "m" },
      { type: "message_start", message: {} },
    ]
  ) assertEquals(message(none), undefined);
});

Deno.test("serverFailure() tells the kind by the HTTP status", () => {
  const kinds: [number, string][] = [
    [307, "bad_request"],
    [400, "bad_request"],
    [401, "auth"],
    [402, "quota"],
    [403, "auth"],
    [404, "not_found"],
    [405, "bad_request"],
    [408, "timeout*"],
    [409, "conflict*"],
    [413, "too_large"],
    [422, "bad_request"],
    [429, "rate_limit*"],
    [500, "server*"],
    [501, "server*"],
    [502, "server*"],
    [503, "overloaded*"],
    [504, "timeout*"],
    [529, "overloaded*"],
    [599, "server*"],
  ];
  for (const [status, kind] of kinds) {
    assertEquals(verdict({}, status), kind, `${status}`);
    if (status < 400) continue;
    assertEquals(verdict({ error: { code: status } }), kind, `in-band ${status}`);
    assertEquals(verdict({ error: { code: `${status}` } }), kind, `in-band "${status}"`);
  }
});

Deno.test("serverFailure() tells the kind of an in-band error without a code by its type", () => {
  const kinds: [string | null, string][] = [
    ["authentication_error", "auth"],
    ["permission_error", "auth"],
    ["not_found_error", "not_found"],
    ["request_too_large", "too_large"],
    ["rate_limit_error", "rate_limit*"],
    ["overloaded_error", "overloaded*"],
    ["invalid_request_error", "bad_request"],
    ["billing_error", "quota"],
    ["timeout_error", "timeout*"],
    ["api_error", "server*"],
    ["server_error", "server*"],
    ["new_error", "server*"],
    [null, "server*"],
  ];
  for (const [type, kind] of kinds) {
    assertEquals(verdict({ error: { type, message: "m" } }), kind, `${type}`);
    assertEquals(verdict({ error: { type, code: 1301 } }), kind, "no HTTP status");
    assertEquals(verdict({ error: { type } }, 404), "not_found", "the status goes first");
  }
});

Deno.test("serverFailure() knows an overflow of the context whatever the status", () => {
  const errors = [
    { code: "context_length_exceeded" },
    { type: "exceed_context_size_error" },
    { message: "This model's maximum context length is 8192 tokens." },
    { message: "Prompt is too long: 9 tokens > 8 maximum" },
    { message: "the request exceeds the available context size" },
    { message: "Input tokens exceed the configured limit of 272,000 tokens." },
    { message: "The input is longer than the model's context length" },
    { message: "litellm.ContextWindowExceededError: x" },
  ];
  for (const error of errors) {
    for (const status of [200, 400, 413, 429, 500]) {
      assertEquals(verdict({ error }, status, { "x-should-retry": "true" }), "context_length");
    }
  }
  assertEquals(verdict({ error: { message: "'context' must be a string" } }, 400), "bad_request");
  assertEquals(verdict({ error: { message: "exceed the configured limit" } }, 400), "bad_request");
});

Deno.test("serverFailure() knows a spent quota", () => {
  const spent = [
    { code: "insufficient_quota" },
    { type: "insufficient_quota" },
    { code: "credit_balance_exhausted" },
    { code: "project_spend_limit_exceeded" },
    { type: "organization_usage_limit_exceeded" },
    { details: { error_code: "enforced_spend_limit_reached" } },
  ];
  const retry = { "x-should-retry": "true", "retry-after": "9" };
  for (const error of spent) {
    assertEquals(verdict({ error }, 429, retry), "quota");
    assertEquals(verdict({ error: { ...error, code: error.code ?? 429 } }, 429), "quota");
    assertEquals(verdict({ error }, 400), "bad_request");
  }
  assertEquals(verdict({}, 402), "quota");
  assertEquals(verdict({}, 402, { "retry-after": "1" }), "quota*");
  assertEquals(verdict({ error: { code: 402 } }, 200, { "retry-after-ms": "1" }), "quota*");
  assertEquals(verdict({ error: { code: 402 } }, 500), "quota");
  assertEquals(verdict({ error: { code: "rate_limit_exceeded" } }, 429), "rate_limit*");
});

Deno.test("serverFailure() knows a refused content", () => {
  assertEquals(verdict({ error: { metadata: { reasons: ["x"] } } }, 403), "content_policy");
  assertEquals(verdict({ error: { code: 403, metadata: { reasons: ["x"] } } }), "content_policy");
  assertEquals(verdict({ error: { metadata: { reasons: [] } } }, 403), "auth");
  assertEquals(verdict({ error: { metadata: { reasons: ["x"] } } }, 400), "bad_request");
  assertEquals(verdict({ error: { code: "content_filter" } }, 400), "content_policy");
  assertEquals(verdict({ error: { code: "content_policy_violation" } }, 500), "content_policy");
});

Deno.test("serverFailure() lets x-should-retry decide but for an overflow and a quota", () => {
  const told = (status: number, word: string) => verdict({}, status, { "x-should-retry": word });
  assertEquals([told(500, "false"), told(400, "true")], ["server", "bad_request*"]);
  assertEquals([told(500, "perhaps"), told(400, "")], ["server*", "bad_request"]);
  assertEquals(told(402, "true"), "quota");
});

Deno.test("serverFailure() reads how long to wait", () => {
  const wait = (headers: Record<string, string>) =>
    serverFailure(
      { message: "", names: [], fields: {} },
      { status: 429, headers: new Headers(headers) },
      NOW,
    ).retryAfterMs;
  const cases: [Record<string, string>, number | undefined][] = [
    [{}, undefined],
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": "1", "retry-after-ms": "850" }, 850],
    [{ "retry-after": "1", "retry-after-ms": "soon" }, 1_000],
    [{ "retry-after-ms": "850.4" }, 850],
    [{ "retry-after": "Mon, 30 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Monday, 30-Nov-26 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Mon Nov 30 12:00:30 2026" }, 30_000],
    [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "7 s" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "2026" }, 2_026_000],
    [{ "retry-after": "9".repeat(400) }, undefined],
    [{ "retry-after": "Mon, 99 Nov 2026 12:00:30 GMT" }, undefined],
  ];
  for (const [headers, expected] of cases) {
    assertEquals(wait(headers), expected, JSON.stringify(headers));
  }
});

Deno.test("serverFailure() gives each kind its own say on retrying", () => {
  const retriable: ModelCallErrorKind[] = [
    "timeout",
    "conflict",
    "rate_limit",
    "overloaded",
    "server",
  ];
  for (let status = 400; status < 600; status++) {
    const said = verdict({}, status);
    assertEquals(
      said.endsWith("*"),
      retriable.includes(said.replace("*", "") as ModelCallErrorKind),
    );
  }
});
