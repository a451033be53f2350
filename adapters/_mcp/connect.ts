import { EnvironmentError } from "../../types/mod.ts";
import { withinTime } from "../_process/within_time.ts";
import { McpFault } from "./fault.ts";
import type { Hiding } from "./hiding.ts";
import type { AnswerInput } from "./eras/input_requests.ts";
import type { McpTransport } from "./link.ts";
import { listTools } from "./tools/list_tools.ts";
import { type ReadTools, readTools } from "./tools/offered_tools.ts";
import { openWire } from "./eras/open_wire.ts";
import type { McpWire } from "./eras/wire.ts";

/** What connecting to a server takes. */
export interface Connecting {
  /** What the server is called in errors. */
  readonly label: string;
  /** Opens the way to it; may throw an {@link McpFault}. */
  readonly open: () => McpTransport;
  /** The revisions that may be spoken, best first; one at least. */
  readonly revisions: readonly string[];
  /** How long connecting may take, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Answers what the server asks. Absent: it may ask nothing. */
  readonly answerInput: AnswerInput | undefined;
  readonly hiding: Hiding;
}

/** A server that was reached, and whose list was read. */
export interface Connected {
  readonly wire: McpWire;
  readonly tools: ReadTools;
  readonly transport: McpTransport;
}

/** The share of the time that a server is given to show its era. */
const PROBE_SHARE = 1 / 4;

/**
 * Reaches a server and reads its list of tools.
 *
 * @throws {EnvironmentError} If that fails, or takes too long. Nothing is left behind then.
 */
export async function connect(connecting: Connecting): Promise<Connected> {
  const { label, hiding, connectTimeoutMs } = connecting;
  let transport: McpTransport | undefined;
  const controller = new AbortController();
  const { signal } = controller;
  try {
    transport = connecting.open();
    const work = reach(transport, connecting, signal);
    const end = await withinTime(work, connectTimeoutMs, signal);
    if (typeof end !== "string") return { ...end, transport };
    work.catch(() => {});
    throw new McpFault(`it took longer than ${connectTimeoutMs} ms`, { mayHaveArrived: true });
  } catch (error) {
    controller.abort();
    await transport?.close();
    if (!(error instanceof McpFault)) throw error;
    const said = hiding.inErrors(`${label} as ${error.message}`);
    throw new EnvironmentError(`Cannot connect to the MCP server ${said}`);
  } finally {
    controller.abort(); // a question about the era may still be open
  }
}

async function reach(
  transport: McpTransport,
  { revisions, answerInput, connectTimeoutMs, hiding }: Connecting,
  signal: AbortSignal,
): Promise<Omit<Connected, "transport">> {
  let id = 0;
  const nextId = () => ++id;
  const probeMs = connectTimeoutMs * PROBE_SHARE;
  const wire = await openWire({ transport, revisions, answerInput, nextId, probeMs }, signal);
  const tools = readTools(await listTools(wire, signal), wire.repeatsParams, hiding);
  return { wire, tools };
}
