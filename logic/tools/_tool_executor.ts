import type { ActionCall, ActionExecutor } from "../../ports/mod.ts";
import {
  type ActionOutcome,
  copyJson,
  cutWithNotice,
  EnvironmentError,
  errorInfo,
  excerpt,
  fillText,
  isJsonObject,
  type JsonValue,
  listedTools,
  quotedName,
  SerializationError,
  textDigests,
} from "../../types/mod.ts";
import { memberOf } from "./_json/pointer.ts";
import type { ReadSchema } from "./compile_schema.ts";
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
      try {
        return outcomeOf(tool, await tool.execute(args, { actionId, attempt, signal }), texts);
      } catch (error) {
        if (signal.aborted) throw error;
        return failure(tool, error, texts);
      }
    },
    replayPolicy(action: JsonValue) {
      const request = read(action);
      return "refusal" in request ? "replayable" : request.tool.replay;
    },
    completes: (toolName: string) => tools.get(toolName)?.tool.completes ?? false,
    toolNames: Object.freeze([...tools.keys()]),
    parameters: () => ({ tools: toolsDigest, wording: WORDING, ...textDigests(texts) }),
  });
}

/** Of an observation that the executor wrote itself. */
const OWN_WORDS = { observationSynthetic: true, truncatedChars: 0 } as const;

const SUCCEEDED = { status: "executed", failed: false, completed: false } as const;

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

function outcomeOf(tool: Tool, result: unknown, texts: ToolTexts): ActionOutcome {
  if (result instanceof Error) return failure(tool, result, texts);
  if (result === undefined) {
    const observation = fillText(texts.noResult, { tool: tool.name });
    return { ...SUCCEEDED, observation, ...OWN_WORDS };
  }
  try {
    const text = typeof result === "string" ? result : JSON.stringify(copyJson(result));
    return { ...SUCCEEDED, ...cut(tool, text, texts), observationSynthetic: false };
  } catch (error) {
    const { name, message } = errorInfo(error);
    const detail = error instanceof SerializationError
      ? `${error.path}: ${error.reason}`
      : `${name}: ${message}`;
    const text = fillText(texts.unshowableResult, { tool: tool.name, detail });
    return { ...SUCCEEDED, ...cut(tool, text, texts), observationSynthetic: true };
  }
}

function failure(tool: Tool, error: unknown, texts: ToolTexts): ActionOutcome {
  const { name, message } = errorInfo(error);
  const text = fillText(texts.error, { name, message });
  const observed = { ...cut(tool, text, texts), observationSynthetic: false };
  return error instanceof EnvironmentError
    ? { status: "environment_failed", ...observed }
    : { ...SUCCEEDED, failed: true, ...observed };
}

function cut(
  tool: Tool,
  text: string,
  texts: ToolTexts,
): Pick<ActionOutcome, "observation" | "truncatedChars"> {
  const limit = tool.maxObservationChars ?? Infinity;
  const { text: observation, truncatedChars } = cutWithNotice(text, limit, texts.truncationNotice);
  return { observation, truncatedChars };
}
