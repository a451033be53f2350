/**
 * What servers send, in both dialects and both modes, and runs of a native agent against them.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import {
  type DecisionInterpreter,
  defineAgent,
  defineRun,
  defineTool,
  type JsonValue,
  type ModelPort,
  run,
  type RunResult,
  type RunSpec,
  textMessage,
  ToolRegistry,
} from "../../../mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { AMPLE } from "../../session/world.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import {
  jsonAnswer,
  onePiece,
  type RawAnswer,
  rawHttpServer,
  type ReceivedRequest,
  streamAnswer,
} from "../raw_http_server.ts";

/** The options that both models have, beside the address. */
export type ModelOptions = Partial<Parameters<typeof chatCompletionsModel>[0]>;

/** One call of a reply. */
export interface SaidCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** What a reply says, whatever the dialect. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly SaidCall[];
  readonly finish?: JsonValue;
}

/** A dialect in one of its two modes. */
export interface Dialect {
  readonly name: string;
  readonly stream: boolean;
  /** The answer that says something; streamed in pieces of the text, and of the arguments. */
  readonly answer: (said: Said) => RawAnswer;
  readonly model: (baseUrl: string, options?: ModelOptions) => ModelPort;
}

/** Of values that are tried in all of some dialects: each in one of them in `deno task test`, in all in `deno task fuzz`. */
export function inTurn<V, D>(
  values: readonly V[],
  dialects: readonly D[],
): readonly (readonly [V, D])[] {
  return values.flatMap((value, at) =>
    dialects.filter((_, turn) => IS_WHOLE || turn === at % dialects.length)
      .map((dialect) => [value, dialect] as const)
  );
}

/** Events as a stream. */
export function sse(...events: readonly (JsonValue | string)[]): string {
  return events.map((event) =>
    `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`
  ).join("");
}

/** A text in halves. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

function chatCall({ id, name, arguments: args }: SaidCall): Record<string, JsonValue> {
  const call = { type: "function", function: { name, arguments: JSON.stringify(args) } };
  return id === undefined ? call : { id, ...call };
}

function chatBody({ text = "", calls = [], finish = "stop" }: Said): RawAnswer {
  const message = { role: "assistant", content: text, tool_calls: calls.map(chatCall) };
  return jsonAnswer({ choices: [{ index: 0, message, finish_reason: finish }] });
}

function chatStream({ text = "", calls = [], finish = "stop" }: Said): RawAnswer {
  const delta = (delta: JsonValue) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
  return streamAnswer(sse(
    ...halves(text).map((content) => delta({ content })),
    ...calls.map((call, index) => delta({ tool_calls: [{ index, ...chatCall(call) }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    "[DONE]",
  ));
}

function anthropicBlocks({ text = "", calls = [] }: Said): readonly Record<string, JsonValue>[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id = "", name, arguments: input }) => ({ type: "tool_use", id, name, input })),
  ];
}

function anthropicBody(said: Said): RawAnswer {
  const { finish = "end_turn" } = said;
  return jsonAnswer({ type: "message", content: [...anthropicBlocks(said)], stop_reason: finish });
}

function anthropicStream(said: Said): RawAnswer {
  const { finish = "end_turn" } = said;
  const blocks = anthropicBlocks(said).flatMap((block, index) => {
    const isText = block.type === "text";
    const pieces = halves(isText ? String(block.text) : JSON.stringify(block.input));
    return [
      {
        type: "content_block_start",
        index,
        content_block: isText ? { type: "text", text: "" } : { ...block, input: {} },
      },
      ...pieces.map((piece) => ({
        type: "content_block_delta",
        index,
        delta: isText
          ? { type: "text_delta", text: piece }
          : { type: "input_json_delta", partial_json: piece },
      })),
      { type: "content_block_stop", index },
    ];
  });
  return streamAnswer(sse(
    { type: "message_start", message: { id: "m", content: [] } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: finish } },
    { type: "message_stop" },
  ));
}

const chatModel = (stream: boolean): Dialect["model"] => (baseUrl, options) =>
  chatCompletionsModel({ baseUrl, model: "fx", stream, ...options });
const anthropicModel = (stream: boolean): Dialect["model"] => (baseUrl, options) =>
  anthropicMessagesModel({ baseUrl, model: "fx", maxTokens: 100, stream, ...options });

export const CHAT: Dialect = {
  name: "chat completions",
  stream: false,
  answer: chatBody,
  model: chatModel(false),
};
export const CHAT_STREAMED: Dialect = {
  name: "chat completions, streamed",
  stream: true,
  answer: chatStream,
  model: chatModel(true),
};
export const ANTHROPIC: Dialect = {
  name: "Anthropic messages",
  stream: false,
  answer: anthropicBody,
  model: anthropicModel(false),
};
export const ANTHROPIC_STREAMED: Dialect = {
  name: "Anthropic messages, streamed",
  stream: true,
  answer: anthropicStream,
  model: anthropicModel(true),
};

/** Both dialects, streamed and not. */
export const DIALECTS: readonly Dialect[] = [CHAT, CHAT_STREAMED, ANTHROPIC, ANTHROPIC_STREAMED];

/** The members of a chat completions answer as a body, and as one chunk of a stream. */
export function chatAnswers(
  message: JsonValue,
  choice: Readonly<Record<string, JsonValue>> = { finish_reason: "stop" },
  top: Readonly<Record<string, JsonValue>> = {},
): readonly [Dialect, RawAnswer][] {
  return [
    [CHAT, jsonAnswer({ choices: [{ index: 0, message, ...choice }], ...top })],
    [
      CHAT_STREAMED,
      streamAnswer(sse({ choices: [{ index: 0, delta: message, ...choice }], ...top }, "[DONE]")),
    ],
  ];
}

/** What became of a run, and what the server was sent. */
export interface FieldRun {
  readonly result: RunResult;
  readonly requests: readonly ReceivedRequest[];
  /** The bodies of the requests. */
  readonly sent: readonly Record<string, JsonValue>[];
  /** The arguments that the tool was called with. */
  readonly looked: readonly JsonValue[];
}

/** What a field run has beside the usual. */
export interface FieldRunParts {
  readonly options?: ModelOptions;
  readonly interpreter?: DecisionInterpreter;
  readonly spec?: Partial<RunSpec>;
  /** What the tool `lookup` answers. */
  readonly found?: string;
}

/** Runs an agent with the tool `lookup {q: string}`, and says with what arguments that was called. */
export async function lookupRun(
  model: ModelPort,
  { interpreter = nativeToolsInterpreter(), spec, found = "found it" }: FieldRunParts = {},
): Promise<{ readonly result: RunResult; readonly looked: readonly JsonValue[] }> {
  const looked: JsonValue[] = [];
  const lookup = defineTool({
    name: "lookup",
    description: "Looks up.",
    parameters: {
      type: "object",
      properties: { q: { type: "string" } },
      required: ["q"],
      additionalProperties: false,
    },
    execute(args) {
      looked.push(args);
      return found;
    },
  });
  const agent = defineAgent({ model, interpreter, store: memoryStore() });
  const result = await run(
    agent,
    defineRun({
      runId: "field",
      budget: AMPLE,
      tools: ToolRegistry.of([lookup]),
      context: { runLevel: [], goalLevel: [textMessage("user", "go")] },
      ...spec,
    }),
  );
  return { result, looked };
}

/** Makes such a run against a server that gives these answers, and then `done`. */
export async function fieldRun(
  dialect: Dialect,
  answers: readonly RawAnswer[],
  parts: FieldRunParts = {},
): Promise<FieldRun> {
  await using server = rawHttpServer((_, place) =>
    answers[place] ?? dialect.answer({ text: "done" })
  );
  const ran = await lookupRun(dialect.model(server.origin, parts.options), parts);
  const { requests } = server;
  return { ...ran, requests, sent: requests.map(({ body }) => JSON.parse(body)) };
}

/** Expects that a run's first reply was refused, told to the model, and followed by the answer `done`. */
export function expectTold({ result, looked }: FieldRun, said: string | undefined): void {
  const [first] = result.steps;
  assertEquals(first?.outcome, "invalid_decision", said);
  assertEquals([result.answer, result.steps.length, looked], ["done", 2, []], said);
  if (said !== undefined) {
    assertEquals(first?.observation?.includes(said), true, `${said}: ${first?.observation}`);
  }
}

/** A body as it is, under a name. */
export function rawAnswer(body: string, contentType?: string, status = 200): RawAnswer {
  return {
    status,
    headers: contentType === undefined ? {} : { "content-type": contentType },
    pieces: onePiece(body),
    end: "clean",
  };
}
