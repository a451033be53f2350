import type { ModelPort } from "../../ports/mod.ts";
import type { JsonObject, JsonValue, Message, ToolSchema } from "../../types/mod.ts";
import { type HttpModelSettings, modelParameters } from "./http_model_options.ts";
import { callModel, type FinishedReader } from "./model_call.ts";
import type { ModelEndpoint } from "./model_endpoint.ts";
import type { PromptSettings } from "./prompt/prompt_settings.ts";
import { toolNames } from "./prompt/tool_names.ts";
import type { ReplySettings } from "./reply/reply_settings.ts";

/** How a kind of server is spoken to. */
export interface ModelDialect {
  /** What it is called in parameters and in `providerData`. */
  readonly kind: string;
  /** The longest name of a tool that it takes. */
  readonly maxToolNameLength: number;
  /** The members of a request's body that say what is asked. */
  body(
    prompt: { readonly messages: readonly Message[]; readonly tools: readonly ToolSchema[] },
    settings: PromptSettings & { readonly stream: boolean },
  ): JsonObject;
  /** What reads an answer. */
  reader(settings: ReplySettings): FinishedReader;
}

/** A model behind a server that speaks a dialect. */
export function httpModel(
  dialect: ModelDialect,
  endpoint: ModelEndpoint,
  settings: HttpModelSettings,
  members: JsonObject,
): ModelPort {
  return {
    call: ({ messages, tools = [], ...call }) =>
      callModel(endpoint, {
        ...settings,
        prepare() {
          const names = toolNames(tools, dialect.maxToolNameLength);
          const body: JsonValue = {
            ...dialect.body({ messages, tools }, { ...settings, names }),
            ...members,
          };
          const { onDelta } = call;
          return { body, reader: dialect.reader({ ...settings, names, onDelta }) };
        },
      }, call),
    parameters: () => modelParameters(dialect.kind, settings, members),
  };
}
