import { assertEquals, assertStringIncludes } from "@std/assert";
import { type AnswerInput, connectMcpHttp } from "../../../adapters/mcp_tools.ts";
import { ToolRegistry } from "../../../mod.ts";
import type { ActionOutcome, JsonObject } from "../../../types/mod.ts";
import { jsonSide, mcpHttpServer } from "./mcp_http_server.ts";
import { type Asked, callOf, modernAnswer, textResult } from "./mcp_sides.ts";

const form = (message: string): JsonObject => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object" } },
});

/** Calls `echo` on a server that answers the calls in turn, and gives what it was sent. */
async function rounds(
  answers: readonly JsonObject[],
  answerInput?: AnswerInput,
): Promise<{ readonly outcome: ActionOutcome; readonly calls: readonly Asked[] }> {
  const calls: Asked[] = [];
  await using remote = mcpHttpServer(jsonSide((asked) => {
    if (asked.method !== "tools/call") return modernAnswer(asked);
    calls.push(asked);
    return answers[Math.min(calls.length, answers.length) - 1] ?? {};
  }));
  await using server = await connectMcpHttp({
    url: remote.url,
    ...(answerInput && { answerInput }),
  });
  const outcome = await ToolRegistry.of(server.tools()).executor().execute({
    action: { tool: "echo", arguments: { text: "hi" } },
    ...callOf(),
  });
  return { outcome, calls };
}

const required = (fields: JsonObject): JsonObject => ({ resultType: "input_required", ...fields });

Deno.test("a call that needs input is made again with the answers, and the server's state as it came", async () => {
  const asked: unknown[] = [];
  const { outcome, calls } = await rounds([
    required({ inputRequests: { a: form("A?"), b: form("B?") }, requestState: '{"n": 1.0}' }),
    required({ requestState: "second" }),
    required({ inputRequests: { c: form("C?") } }),
    { resultType: "complete", ...textResult("done") },
  ], ({ message }, { tool, actionId }) => {
    asked.push([message, tool, actionId]);
    return message === "B?" ? { action: "decline" } : { action: "accept", content: { message } };
  });
  assertEquals(outcome.observation, "done");
  assertEquals(asked, ["A?", "B?", "C?"].map((message) => [message, "echo", "r/s0_a0"]));
  const accept = (message: string) => ({ action: "accept", content: { message } });
  assertEquals(
    calls.map(({ params: { inputResponses, requestState } }) => ({
      inputResponses,
      requestState,
    })),
    [
      { inputResponses: undefined, requestState: undefined },
      { inputResponses: { a: accept("A?"), b: { action: "decline" } }, requestState: '{"n": 1.0}' },
      { inputResponses: undefined, requestState: "second" },
      { inputResponses: { c: accept("C?") }, requestState: undefined },
    ],
  );
  assertEquals(new Set(calls.map(({ id }) => id)).size, 4);
  for (const { params } of calls) {
    assertEquals(params.arguments, { text: "hi" });
    const meta = Object(params._meta);
    assertEquals(meta["io.modelcontextprotocol/clientCapabilities"], { elicitation: {} });
  }
});

Deno.test("a call whose input is not to be had is in doubt, and is not made again", async () => {
  const one = (asked: unknown) =>
    required({ inputRequests: { a: JSON.parse(JSON.stringify(asked)) } });
  const accept: AnswerInput = () => ({ action: "accept", content: {} });
  const thrower: AnswerInput = () => {
    throw new Error("nobody is there");
  };
  const cases: [JsonObject, AnswerInput | undefined, string][] = [
    [one(form("?")), undefined, "elicitation/create is not offered here"],
    [one({ method: "sampling/createMessage", params: {} }), accept, "is not offered here"],
    [one(form("?")), thrower, "no answer could be had: nobody is there"],
    [one(form("?")), () => JSON.parse("{}"), "the answer was none"],
    [one({ ...form("?"), params: { mode: "url", message: "?" } }), accept, "only a form"],
    [one(5), accept, "in no known form"],
    [required({ inputRequests: [] }), accept, "in no known form"],
  ];
  for (const [answer, answerInput, reason] of cases) {
    const { outcome, calls } = await rounds([answer], answerInput);
    assertStringIncludes(outcome.observation, reason);
    assertEquals([outcome.status, Object(outcome).effect], ["environment_failed", "unknown"]);
    assertEquals(calls.length, 1);
  }
});

Deno.test("a server that never has enough gets input eight times", async () => {
  const { outcome, calls } = await rounds([required({ requestState: "again" })]);
  assertStringIncludes(outcome.observation, "the server asked for input more than 8 times");
  assertEquals(calls.length, 9);
});
