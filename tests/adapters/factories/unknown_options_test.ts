import { assert, assertStringIncludes, assertThrows } from "@std/assert";
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { codeFenceInterpreter } from "../../../adapters/code_fence_interpreter.ts";
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { consoleEvents } from "../../../adapters/console_events.ts";
import { fallbackModel } from "../../../adapters/fallback_model.ts";
import { jsonActionInterpreter } from "../../../adapters/json_action_interpreter.ts";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import { retryingModel } from "../../../adapters/retrying_model.ts";
import { scriptedModel } from "../../../adapters/scripted_model.ts";
import { shellExecutor } from "../../../adapters/shell_executor.ts";
import { InvalidRequestError } from "../../../types/mod.ts";

const server = { baseUrl: "http://127.0.0.1:1", model: "m" };
const bounds = { timeoutMs: 1, maxOutputChars: 1 };

/** Each factory with options that do, and more. */
const FACTORIES: Readonly<Record<string, (more: object) => unknown>> = {
  chatCompletionsModel: (more) => chatCompletionsModel({ ...server, ...more }),
  anthropicMessagesModel: (more) => anthropicMessagesModel({ ...server, maxTokens: 1, ...more }),
  codeFenceInterpreter: (more) => codeFenceInterpreter({ languages: ["py"], ...more }),
  codeSandbox: (more) => codeSandbox({ ...bounds, ...more }),
  consoleEvents: (more) => consoleEvents({ isTerminal: false, ...more }),
  fallbackModel: (more) => fallbackModel([scriptedModel([])], more),
  jsonActionInterpreter: (more) => jsonActionInterpreter(more),
  nativeToolsInterpreter: (more) => nativeToolsInterpreter(more),
  retryingModel: (more) => retryingModel(scriptedModel([]), more),
  scriptedModel: (more) => scriptedModel([], more),
  shellExecutor: (more) => shellExecutor({ cwd: "/", env: {}, ...bounds, ...more }),
};

const SLIPS: Readonly<Record<string, readonly [slip: string, meant: string]>> = {
  chatCompletionsModel: ["header", "headers"],
  anthropicMessagesModel: ["max_tokens", "maxTokens"],
  codeFenceInterpreter: ["language", "languages"],
  codeSandbox: ["permission", "permissions"],
  consoleEvents: ["colour", "color"],
  fallbackModel: ["kind", "kinds"],
  jsonActionInterpreter: ["schema", "answerSchema"],
  nativeToolsInterpreter: ["text", "texts"],
  retryingModel: ["maxDelay", "maxDelayMs"],
  scriptedModel: ["nam", "name"],
  shellExecutor: ["timeout", "timeoutMs"],
};

for (const [name, make] of Object.entries(FACTORIES)) {
  Deno.test(`${name}() refuses an option that there is not, and names the nearest`, () => {
    make({});
    const unknown = assertThrows(() => make({ zzz: "sk-1" }), InvalidRequestError);
    assert(unknown.field === "zzz" && !unknown.message.includes("did you mean"), unknown.message);
    const [slip, meant] = SLIPS[name] ?? ["", ""];
    const error = assertThrows(() => make({ [slip]: "sk-1" }), InvalidRequestError);
    assertStringIncludes(error.message, `did you mean "${meant}"?`);
    assert(!name.endsWith("sModel") || !error.message.includes("sk-1"), "a secret may be there");
  });
}

Deno.test("codeSandbox() refuses a permission that there is not, and names the nearest", () => {
  const permissions = { reads: ["/a"] } as object;
  const error = assertThrows(() => codeSandbox({ ...bounds, permissions }), InvalidRequestError);
  assertStringIncludes(error.message, 'did you mean "read"?');
  assert(error.field === "permissions.reads", error.field);
});
