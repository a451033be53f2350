import {
  errorInfo,
  excerpt,
  isJsonObject,
  isSameJson,
  type JsonObject,
  type JsonValue,
  present,
} from "../../../types/mod.ts";
import { defineTool } from "../../../logic/tools/mod.ts";
import type { Hiding } from "../hiding.ts";
import { type ParamHeader, paramHeaders } from "../eras/param_headers.ts";

/** What a server claims about a tool. Nobody checks it. */
export interface McpToolHints {
  /** That it changes nothing. Absent: it does not say. */
  readonly readOnlyHint?: boolean;
  /** That calling it again with the same arguments changes nothing further. Absent: it does not say. */
  readonly idempotentHint?: boolean;
  /** That it may destroy something. Absent: it does not say. */
  readonly destructiveHint?: boolean;
  /** That it reaches what nobody knows beforehand, such as the web. Absent: it does not say. */
  readonly openWorldHint?: boolean;
}

/** A tool, as its server lists it. */
export interface McpTool {
  /** The server's name for it. */
  readonly name: string;
  /** What people are shown in place of the name. Absent: nothing else. */
  readonly title?: string;
  /** What it does, for the model; empty where the server does not say. */
  readonly description: string;
  /** The JSON Schema of its arguments, as it came. */
  readonly inputSchema: JsonObject;
  /** What the server claims about it; empty where it claims nothing. */
  readonly annotations: McpToolHints;
}

/** A tool that a server lists and that cannot be offered. */
export interface RejectedMcpTool {
  /** Its name, or its place in the list where it has none. */
  readonly name: string;
  /** Why. */
  readonly reason: string;
}

/** A tool that can be offered. */
export interface OfferedTool {
  readonly tool: McpTool;
  /** The parameters that HTTP headers repeat. */
  readonly headers: readonly ParamHeader[];
}

/** What came of a server's list. */
export interface ReadTools {
  readonly offered: readonly OfferedTool[];
  readonly rejected: readonly RejectedMcpTool[];
}

/**
 * Reads a server's list: each tool is offered, or rejected with the reason. A tool that is there twice counts once; of
 * two different ones of one name nobody can say which a call reaches, so both are rejected. So is one that would tell a
 * secret of the caller's to the model.
 *
 * @param repeatsParams Whether HTTP headers repeat parameters, so that marks for them must be right.
 */
export function readTools(
  listed: readonly JsonValue[],
  repeatsParams: boolean,
  hiding: Hiding,
): ReadTools {
  const offered: OfferedTool[] = [];
  const rejected: RejectedMcpTool[] = [];
  for (const [name, [first, ...others]] of byName(listed)) {
    const read = others.every((other) => isSame(other, first))
      ? readTool(first, repeatsParams, hiding)
      : "the server lists different tools of this name";
    if (typeof read !== "string") offered.push(read);
    else {rejected.push({
        name: excerpt(hiding.inErrors(name), 200),
        reason: hiding.inErrors(read),
      });}
  }
  return { offered, rejected };
}

/** Whether two definitions are known to be the same: what is nested too deep is not compared. */
function isSame(one: JsonValue, other: JsonValue): boolean {
  try {
    return isSameJson(one, other);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The definitions of each name, in order; of what has no name, those of its place. */
function byName(
  listed: readonly JsonValue[],
): ReadonlyMap<string, readonly [JsonValue, ...JsonValue[]]> {
  const groups = new Map<string, [JsonValue, ...JsonValue[]]>();
  for (const [index, value] of listed.entries()) {
    const hasName = isJsonObject(value) && typeof value.name === "string";
    const name = hasName ? String(value.name) : `tools[${index}]`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  }
  return groups;
}

/** A string says why a tool cannot be offered. */
function readTool(
  value: JsonValue,
  repeatsParams: boolean,
  hiding: Hiding,
): OfferedTool | string {
  if (!isJsonObject(value)) return "it is no object";
  const written = JSON.stringify(value);
  if (hiding.inResults(written) !== written) return "it repeats a secret that the server was given";
  const { name, title, description = "", inputSchema, annotations = {} } = value;
  if (typeof name !== "string") return "it has no name";
  if (typeof description !== "string") return "its description is no text";
  if (!isJsonObject(inputSchema)) return "its inputSchema is no object";
  const hints = isJsonObject(annotations) ? annotations : {};
  const fault = unusable(name, inputSchema);
  if (fault !== undefined) return fault;
  const headers = repeatsParams ? paramHeaders(inputSchema) : [];
  if (typeof headers === "string") return headers;
  const tool: McpTool = present({
    name,
    title: [title, hints.title].find((text) => typeof text === "string"),
    description,
    inputSchema,
    annotations: hintsOf(hints),
  });
  return { tool, headers };
}

/** Why no tool can be made of a name and a schema. */
function unusable(name: string, parameters: JsonObject): string | undefined {
  try {
    defineTool({ name, description: "", parameters, execute: () => {} });
  } catch (error) {
    return errorInfo(error).message;
  }
}

function hintsOf(annotations: JsonObject): McpToolHints {
  const hint = (name: keyof McpToolHints): boolean | undefined => {
    const value = annotations[name];
    return typeof value === "boolean" ? value : undefined;
  };
  return present({
    readOnlyHint: hint("readOnlyHint"),
    idempotentHint: hint("idempotentHint"),
    destructiveHint: hint("destructiveHint"),
    openWorldHint: hint("openWorldHint"),
  });
}
