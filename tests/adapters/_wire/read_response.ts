/**
 * A response in the place of a server's, for what takes many answers, or large ones.
 *
 * @module
 */
import { callModel } from "../../../adapters/_wire/model_call.ts";
import { toolNames } from "../../../adapters/_wire/prompt/tool_names.ts";
import { AnthropicMessagesReader } from "../../../adapters/_wire/reply/anthropic_messages_reply.ts";
import { ChatCompletionsReader } from "../../../adapters/_wire/reply/chat_completions_reply.ts";
import type { ModelCall } from "../../../ports/mod.ts";
import type { ModelReply } from "../../../types/mod.ts";
import { modelCall } from "../model_calls.ts";

/** The dialect of a server. */
export type WireDialect = "openai" | "anthropic";

/** The dialect of a fixture, by its name. */
export function dialectOf(name: string): WireDialect {
  return name.startsWith("an-") ? "anthropic" : "openai";
}

/** The reply that a response is. */
export function read(
  response: Response,
  dialect: WireDialect,
  call: Partial<ModelCall> = {},
): Promise<ModelReply> {
  const { onDelta, ...given } = modelCall(call);
  const Reader = dialect === "openai" ? ChatCompletionsReader : AnthropicMessagesReader;
  return callModel(
    {
      exchange: (_, heard) => ({
        post: () => Promise.resolve(response),
        heard,
        address: "http://local/",
        redirectTarget: () => undefined,
        close() {},
        withoutSecrets: (text) => text,
        withoutSecretsIn: (reply) => reply,
        quote: (text) => JSON.stringify(text.slice(0, 100)),
      }),
    },
    {
      model: "fx",
      stream: true,
      times: { timeoutMs: 0, idleTimeoutMs: 0 },
      prepare: () => ({
        body: null,
        reader: new Reader({
          names: toolNames([], 64),
          model: "fx",
          onDelta,
          acceptFinishReasons: [],
          inlineThoughts: "split",
        }),
      }),
    },
    given,
  );
}

const FIXTURES = new URL("../../testdata/wire/fixtures/", import.meta.url);

/** The bytes of a fixture. */
export async function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(new URL(name, FIXTURES));
}

/** The names of all fixtures, in order. */
export function fixtureNames(): readonly string[] {
  return [...Deno.readDirSync(FIXTURES)].map(({ name }) => name).sort();
}
