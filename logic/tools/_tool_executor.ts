import type { ActionCall, ActionExecutor } from "../../ports/mod.ts";
import {
  type ActionOutcome,
  excerpt,
  fillText,
  isJsonObject,
  type JsonValue,
  listedTools,
  quotedName,
  textDigests,
} from "../../types/mod.ts";
import { memberOf } from "./_json/pointer.ts";
import type { ReadSchema } from "./compile_schema.ts";
import { givenUpOutcome, OWN_WORDS, resultOutcome, thrownOutcome } from "./_tool_result.ts";
import { withinLimit } from "./_within_limit.ts";
import type { Tool } from "./define_tool.ts";
import { shown } from "./_schema/run.ts";
import type { SchemaViolation } from "./schema_violation.ts";
import type { ToolTexts } from "./tool_texts.ts";

/** A tool with its compiled schema. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly schema: ReadSchema;
}

/** What an action asks for; or why it is refused, as the model is told. */
type Request = { readonly tool: Tool; readonly args: JsonValue } | { readonly refusal: string };

/**
 * The wording of what no option sets: the expectations of schemas, the details. Raise it when one changes, so
 * that a run is not resumed with other words than it started with.
 */
const WORDING = "1";

/** The executor of a registry's tools. */
export function toolExecutor(
  tools: ReadonlyMap<string, RegisteredTool>,
  toolsDigest: string,
  texts: ToolTexts,
): ActionExecutor {
  const read = (action: JsonValue) => readAction(tools, texts, action);
  return Object.freeze({
    async execute({ action, actionId, attempt, signal }: ActionCall): Promise<ActionOutcome> {
      const request = read(action);
      if ("refusal" in request) {
        return { status: "not_executed", observation: request.refusal, ...OWN_WORDS };
      }
      const { tool, args } = request;
      const { timeoutMs } = tool;
      const execute = (signal: AbortSignal) => tool.execute(args, { actionId, attempt, signal });
      try {
        if (timeoutMs === undefined) return resultOutcome(tool, await execute(signal), texts);
        const limit = { timeoutMs, settleMs: SETTLE_MS };
        const settled = await withinLimit(execute, limit, signal, tooLong(tool.name, timeoutMs));
        if (settled !== undefined) return resultOutcome(tool, settled.value, texts);
        signal.throwIfAborted();
        return givenUpOutcome(tool, timeoutMs, texts);
      } catch (error) {
        if (signal.aborted) throw error;
        return thrownOutcome(tool, error, texts);
      }
    },
    replayPolicy(action: JsonValue) {
      const request = read(action);
      if ("refusal" in request) return "replayable";
      const { tool, args } = request;
      return tool.delegate?.replayPolicy(args) ?? tool.replay;
    },
    concurrent(action: JsonValue) {
      const request = read(action);
      if ("refusal" in request) return true;
      const { tool, args } = request;
      return tool.delegate?.concurrent(args) ?? tool.concurrent;
    },
    completes: (toolName: string) => tools.get(toolName)?.tool.completes ?? false,
    toolNames: Object.freeze([...tools.keys()]),
    parameters: () => ({ tools: toolsDigest, wording: WORDING, ...textDigests(texts) }),
  });
}

/** How long a tool has to settle once its time is over, in milliseconds. */
const SETTLE_MS = 1_000;

function tooLong(tool: string, timeoutMs: number): DOMException {
  return new DOMException(`the tool "${tool}" took longer than ${timeoutMs} ms`, "TimeoutError");
}

function readAction(
  tools: ReadonlyMap<string, RegisteredTool>,
  texts: ToolTexts,
  action: JsonValue,
): Request {
  const form = formOf(action);
  if (typeof form === "string") {
    return { refusal: fillText(texts.malformedAction, { detail: form }) };
  }
  const { name, args } = form;
  const registered = tools.get(name);
  if (registered === undefined) {
    const known = { tool: quotedName(name), tools: listedTools([...tools.keys()]) };
    return { refusal: fillText(texts.unknownTool, known) };
  }
  const wrong = registered.schema.validate(args);
  if (wrong.length === 0) return { tool: registered.tool, args };
  const violations = wrong.map((violation) => line(texts, violation)).join("\n");
  return { refusal: fillText(texts.invalidArguments, { tool: name, violations }) };
}

/** What an action holds, or what is wrong with its form. */
function formOf(action: JsonValue): { readonly name: string; readonly args: JsonValue } | string {
  if (!isJsonObject(action)) return `it is ${shown(action)}`;
  const [name, args] = [memberOf(action, "tool"), memberOf(action, "arguments")];
  if (name === undefined) return `"tool" is missing`;
  if (typeof name !== "string") return `"tool" is ${shown(name)}`;
  if (args === undefined) return `"arguments" is missing`;
  const extra = Object.keys(action).find((key) => key !== "tool" && key !== "arguments");
  return extra === undefined ? { name, args } : `it has ${shown(extra)} too`;
}

function line(texts: ToolTexts, violation: SchemaViolation): string {
  const { pointer, rule, expected, found } = violation;
  return fillText(texts.violation, { pointer: excerpt(pointer, 200), rule, expected, found });
}
