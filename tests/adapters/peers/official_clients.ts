/**
 * What the official clients of two providers make of the fixtures of the wire.
 *
 * @module
 */

/** What a client made of an answer, as far as two clients can be compared. */
export type Reading =
  | { readonly text: string; readonly calls: readonly (readonly [name: string, args: unknown])[] }
  | { readonly failed: string };

/** Reads the answer of a server. */
export type Client = (origin: string, stream: boolean) => Promise<Reading>;

interface OpenAiMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly function: { name: string; arguments: unknown } }[];
}

interface OpenAiCompletion {
  readonly choices: readonly { readonly message: OpenAiMessage }[];
}

interface OpenAiModule {
  readonly default: new (options: object) => {
    readonly chat: {
      readonly completions: {
        create(body: object): Promise<OpenAiCompletion>;
        stream(body: object): { finalChatCompletion(): Promise<OpenAiCompletion> };
      };
    };
  };
}

interface AnthropicMessage {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly name?: string;
    readonly input?: unknown;
  }[];
}

interface AnthropicModule {
  readonly default: new (options: object) => {
    readonly messages: {
      create(body: object): Promise<AnthropicMessage>;
      stream(body: object): { finalMessage(): Promise<AnthropicMessage> };
    };
  };
}

const MESSAGES = [{ role: "user", content: "How many wells?" }];

/** OpenAI's client. */
export async function openAiClient(): Promise<Client> {
  const specifier = "npm:openai@7";
  const { default: OpenAI }: OpenAiModule = await import(specifier);
  return async (origin, stream) => {
    const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "sk-peer", maxRetries: 0 });
    const body = { model: "fx-model", messages: MESSAGES };
    const { choices } = stream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    const message = choices[0]?.message;
    return {
      text: message?.content ?? "",
      calls: (message?.tool_calls ?? []).map((call) => [
        call.function.name,
        call.function.arguments,
      ]),
    };
  };
}

/** Anthropic's client. */
export async function anthropicClient(): Promise<Client> {
  const specifier = "npm:@anthropic-ai/sdk@1";
  const { default: Anthropic }: AnthropicModule = await import(specifier);
  return async (origin, stream) => {
    const client = new Anthropic({ baseURL: origin, apiKey: "sk-peer", maxRetries: 0 });
    const body = { model: "fx-model", max_tokens: 100, messages: MESSAGES };
    const { content } = stream
      ? await client.messages.stream(body).finalMessage()
      : await client.messages.create(body);
    return {
      text: content.map(({ type, text = "" }) => type === "text" ? text : "").join(""),
      calls: content.filter(({ type }) => type === "tool_use").map((
        { name = "", input },
      ) => [name, input]),
    };
  };
}
