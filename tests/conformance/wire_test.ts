import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { anthropicMessagesModel } from "../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../adapters/chat_completions_model.ts";
import type { ModelPort } from "../../ports/mod.ts";
import { ModelCallError, type ModelReply, type ReplyToolCall } from "../../types/mod.ts";
import { rawHttpServer } from "../adapters/raw_http_server.ts";
import { fuzzSample } from "../tasks/fuzz_rounds.ts";

interface WireCase {
  readonly id: string;
  readonly dialect: "openai" | "anthropic";
  readonly mode: "json" | "stream";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly transport: { readonly chunks: "whole" | "bytes" | number[]; readonly abort?: boolean };
  readonly expect: Readonly<Record<string, unknown>> & { readonly ok: boolean };
}

const FOLDER = new URL("../testdata/wire/", import.meta.url);
const manifest: { count: number; cases: WireCase[] } = JSON.parse(
  Deno.readTextFileSync(new URL("manifest.json", FOLDER)),
);

Deno.test("wire manifest holds all 93 cases", () => {
  assertEquals({ count: manifest.count, cases: manifest.cases.length }, { count: 93, cases: 93 });
});

for (const wireCase of manifest.cases) {
  Deno.test(`${wireCase.dialect} model reads ${wireCase.id}`, () => check(wireCase));
}

Deno.test("models read every stream whose bytes come one by one", async () => {
  for (const wireCase of fuzzSample(manifest.cases.filter(({ mode }) => mode !== "json"))) {
    await check({ ...wireCase, transport: { ...wireCase.transport, chunks: "bytes" } });
  }
});

async function check(wireCase: WireCase): Promise<void> {
  const body = Deno.readFileSync(new URL(wireCase.body, FOLDER));
  await using server = rawHttpServer({
    status: wireCase.status,
    headers: wireCase.headers,
    pieces: cut(body, wireCase.transport.chunks),
    end: wireCase.transport.abort ? "broken" : "clean",
  });
  const actual = await normalized(modelOf(wireCase, server.origin));
  const expected = wireCase.expect;
  for (const key of Object.keys(expected)) {
    const wanted = key === "toolCalls" ? madeUpIds(expected[key], actual[key]) : expected[key];
    assertEquals(actual[key], wanted, `${wireCase.id}: ${key}`);
  }
  assertEquals(server.requests.length, 1);
}

function modelOf({ dialect, mode }: WireCase, origin: string): ModelPort {
  const options = { model: "fx-model", apiKey: "sk-wire", stream: mode === "stream" };
  return dialect === "openai"
    ? chatCompletionsModel({ ...options, baseUrl: `${origin}/v1` })
    : anthropicMessagesModel({ ...options, baseUrl: origin, maxTokens: 100 });
}

function cut(body: Uint8Array, chunks: WireCase["transport"]["chunks"]): Uint8Array[] {
  if (chunks === "whole") return [body];
  const offsets = chunks === "bytes" ? body.keys().drop(1).toArray() : chunks;
  return [0, ...offsets].map((start, i) => body.subarray(start, offsets[i]));
}

async function normalized(model: ModelPort): Promise<Record<string, unknown>> {
  try {
    return ofReply(
      await model.call({
        callId: "r1/s0",
        attempt: 1,
        messages: [{ role: "user", content: [{ type: "text", text: "How many wells?" }] }],
        binding: {},
        signal: new AbortController().signal,
        draining: new AbortController().signal,
      }),
    );
  } catch (error) {
    assertInstanceOf(error, ModelCallError);
    return {
      ok: false,
      error: {
        kind: error.kind,
        retriable: error.retriable,
        status: error.status,
        retryAfterMs: error.retryAfterMs ?? null,
        partialText: error.partialText ?? null,
      },
    };
  }
}

/** A reply in the words of the manifest, which has null where the reply has nothing. */
function ofReply(reply: ModelReply): Record<string, unknown> {
  const { message, content } = (reply.providerData ?? {}) as {
    message?: { refusal?: string };
    content?: { type: string }[];
  };
  return {
    ok: true,
    text: reply.text,
    reasoning: reply.reasoning ?? "",
    toolCalls: (reply.toolCalls ?? []).map((call) => ({ argumentsError: null, ...call })),
    finish: reply.finishReason,
    rawFinish: reply.rawFinishReason ?? null,
    usage: reply.usage === undefined ? null : {
      inputTokens: null,
      outputTokens: null,
      cachedInputTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: null,
      ...reply.usage,
    },
    refusal: message?.refusal,
    reasoningBlocks: content?.filter(({ type }) => type.endsWith("thinking")),
  };
}

/** The expected calls with `*` replaced by the made-up ids, once those are fit to be ids. */
function madeUpIds(expected: unknown, actual: unknown): unknown {
  const calls = expected as ReplyToolCall[];
  const ids = (actual as ReplyToolCall[]).map(({ id }) => id);
  return calls.map((call, i) => {
    if (call.id !== "*") return call;
    assert(
      ids[i] !== undefined && ids[i] !== "" && ids.indexOf(ids[i]) === ids.lastIndexOf(ids[i]),
    );
    return { ...call, id: ids[i] };
  });
}
