import {
  type ActionOutcome,
  type JsonValue,
  type ReplayPolicy,
  textDigests,
} from "../../../types/mod.ts";
import type { ActionCall, ActionExecutor } from "../../../ports/mod.ts";
import { withinTime } from "../../_process/within_time.ts";
import { lost, McpFault } from "../fault.ts";
import type { Hiding } from "../hiding.ts";
import type { McpTexts } from "./mcp_texts.ts";
import type { OfferedTool } from "./offered_tools.ts";
import { answeredOutcome, brokenOutcome } from "./call_outcome.ts";
import type { McpWire } from "../eras/wire.ts";

/** How the tools of a server are called. */
export interface CallSettings {
  readonly wire: McpWire;
  /** How long a call may take, in milliseconds. */
  readonly callTimeoutMs: number;
  readonly hiding: Hiding;
}

/** How one of them is. */
export interface ToolSettings {
  readonly texts: McpTexts;
  readonly replay: ReplayPolicy;
  readonly concurrent: boolean;
}

/**
 * The wording of what no option sets: why a call gave no result. Raise it when one changes, so that a run is not resumed
 * with other words than it started with.
 */
const WORDING = "1";

/** Executes one tool: its actions are the arguments. A call is one request, however it ends. */
export function mcpToolExecutor(
  { tool, headers }: OfferedTool,
  { wire, callTimeoutMs, hiding }: CallSettings,
  { texts, replay, concurrent }: ToolSettings,
): ActionExecutor {
  const words = { tool: tool.name, texts, hiding };
  const call = async (action: JsonValue, actionId: string, signal: AbortSignal) =>
    await wire.request({
      method: "tools/call",
      params: {
        name: tool.name,
        arguments: action,
        _meta: { "io.polyloop/actionId": actionId },
      },
      paramHeaders: headers,
      context: { tool: tool.name, actionId },
      signal,
    });

  return {
    async execute({ action, actionId, signal }: ActionCall): Promise<ActionOutcome> {
      const controller = new AbortController();
      const work = call(action, actionId, controller.signal);
      try {
        const end = await withinTime(work, callTimeoutMs, signal);
        if (typeof end !== "string") return answeredOutcome(end, words);
        controller.abort();
        await work.catch(() => {});
        if (end === "aborted") throw signal.reason;
        return brokenOutcome(lost(`it took longer than ${callTimeoutMs} ms`), words);
      } catch (error) {
        if (error instanceof McpFault) return brokenOutcome(error, words);
        throw error;
      } finally {
        controller.abort(); // whoever answers a question of the server's may stop
      }
    },
    replayPolicy: () => replay,
    concurrent: () => concurrent,
    parameters: () => ({
      kind: "mcp",
      call_timeout_ms: String(callTimeoutMs),
      wording: WORDING,
      ...textDigests(texts),
    }),
  };
}
