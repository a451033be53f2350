import {
  InvalidRequestError,
  modelTexts,
  present,
  refuseUnknownFields,
  REPLAY_POLICIES,
  type ReplayPolicy,
} from "../../../types/mod.ts";
import { executorTool, type Tool } from "../../../logic/tools/mod.ts";
import { MCP_TEXTS, type McpTexts } from "./mcp_texts.ts";
import type { McpTool, OfferedTool } from "./offered_tools.ts";
import { type CallSettings, mcpToolExecutor } from "./tool_executor.ts";

/** Which tools of a server a registry gets, and how. */
export interface McpToolsOptions {
  /**
   * Goes before each name: two servers may have tools of one name.
   *
   * @default {""}
   */
  readonly prefix?: string;
  /** The server's names of the tools that are wanted. Absent: all. */
  readonly only?: readonly string[];
  /**
   * Whether an execution of unknown outcome may be repeated after a crash. `hints`: where the server claims that the tool
   * changes nothing (`readOnlyHint`), or nothing further when it is repeated (`idempotentHint`). Nobody checks that. A
   * server that outlives this process may still be at work on the first attempt when the second begins.
   *
   * @default {"never"}
   */
  readonly replay?: ReplayPolicy | "hints" | ((tool: McpTool) => ReplayPolicy);
  /**
   * Whether calls may run at the same time as other actions that may, where the run allows several at once.
   *
   * @default {false}
   */
  readonly concurrent?: boolean;
  /** How many code points of an observation the model is shown: of a longer one the beginning and the end. Absent: all. */
  readonly maxObservationChars?: number;
  /**
   * Replaces texts of {@link MCP_TEXTS}.
   *
   * @default {MCP_TEXTS}
   */
  readonly texts?: Partial<McpTexts>;
}

const TOOLS_OPTIONS: Readonly<Record<keyof McpToolsOptions, true>> = {
  prefix: true,
  only: true,
  replay: true,
  concurrent: true,
  maxObservationChars: true,
  texts: true,
};

/**
 * Makes tools for a registry of what a server offers.
 *
 * @throws {InvalidRequestError} If an option is not as it must be, or a wanted tool is not there.
 */
export function serverTools(
  offered: readonly OfferedTool[],
  settings: CallSettings,
  options: McpToolsOptions,
): readonly Tool[] {
  refuseUnknownFields(options, TOOLS_OPTIONS);
  const { prefix = "", only, maxObservationChars, concurrent = false } = options;
  if (typeof prefix !== "string") {
    throw new InvalidRequestError("prefix", prefix, "it must be a string");
  }
  if (typeof concurrent !== "boolean") {
    throw new InvalidRequestError("concurrent", concurrent, "it must be true or false");
  }
  const texts = modelTexts(MCP_TEXTS, options.texts);
  const names = offered.map(({ tool }) => tool.name);
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const there = names.join(", ") || "none";
    throw new InvalidRequestError("only", unknown, `the server offers no such tool, only ${there}`);
  }
  const wanted = offered.filter(({ tool }) => only === undefined || only.includes(tool.name));
  return wanted.map((each) => {
    const { name, description, inputSchema } = each.tool;
    const replay = replayOf(each.tool, options.replay);
    const tool = executorTool(mcpToolExecutor(each, settings, { texts, replay, concurrent }), {
      name: `${prefix}${name}`,
      description,
      parameters: inputSchema,
      action: (args) => args,
    });
    return Object.freeze(present({ ...tool, replay, concurrent, maxObservationChars }));
  });
}

/** What is claimed of a tool counts only for whoever asks for that. */
function replayOf(tool: McpTool, replay: McpToolsOptions["replay"] = "never"): ReplayPolicy {
  const { readOnlyHint, idempotentHint } = tool.annotations;
  const claimed = readOnlyHint === true || idempotentHint === true ? "replayable" : "never";
  const chosen = typeof replay === "function" ? replay(tool) : replay;
  const policy = chosen === "hints" ? claimed : chosen;
  if (REPLAY_POLICIES.includes(policy)) return policy;
  throw new InvalidRequestError("replay", policy, 'it must be "never", "replayable" or "hints"');
}
