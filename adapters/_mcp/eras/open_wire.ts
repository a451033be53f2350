import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  present,
} from "../../../types/mod.ts";
import { withinTime } from "../../_process/within_time.ts";
import { lost, McpFault } from "../fault.ts";
import { openLegacyWire } from "./legacy_wire.ts";
import { askModern, type ModernVoice, modernWire } from "./modern_wire.ts";
import { LEGACY_REVISIONS, MODERN_REVISIONS } from "./revisions.ts";
import { saidError } from "../said_error.ts";
import {
  type McpWire,
  readServerInfo,
  readText,
  type ServerIdentity,
  type WireOpening,
} from "./wire.ts";

/** What a server of the modern era says that it speaks. */
interface Discovery {
  readonly supported: readonly string[];
  /** What it says of itself. Absent: it only said that it does not speak the revision of the question. */
  readonly said?: JsonObject;
  /** Why it does not take the question at all. Absent: it does. */
  readonly refusal?: string;
}

/**
 * Finds out which era a server belongs to, and opens it: a question of the modern era is asked, and whatever is no answer
 * of that era (another error, a refusal, silence) comes from a server of the legacy one, which a handshake opens. A
 * modern server that is slow to start is known by its late answer, once it has refused the handshake.
 *
 * @throws {McpFault} If it cannot be opened.
 * @throws The signal's reason, after an abort.
 */
export async function openWire(opening: WireOpening, signal: AbortSignal): Promise<McpWire> {
  const { revisions, probeMs } = opening;
  const legacy = revisions.filter((revision) => LEGACY_REVISIONS.includes(revision));
  const [preferred] = revisions.filter((revision) => MODERN_REVISIONS.includes(revision));
  if (preferred === undefined) return await openLegacyWire(opening, legacy, signal);
  let late: Discovery | undefined;
  const probe = discover(opening, preferred, signal).then((found) => late = found);
  if (legacy.length === 0) return await openModern(opening, await probe, signal);
  const early = await withinTime(probe.catch(() => undefined), probeMs, signal);
  signal.throwIfAborted();
  if (typeof early === "object") return await openModern(opening, early, signal);
  try {
    return await openLegacyWire(opening, legacy, signal);
  } catch (error) {
    if (late === undefined || !(error instanceof McpFault)) throw error;
    return await openModern(opening, late, signal);
  }
}

/** Opens a server by the best revision of those that it says it speaks; it may be of the other era all the same. */
async function openModern(
  opening: WireOpening,
  found: Discovery | undefined,
  signal: AbortSignal,
): Promise<McpWire> {
  const { revisions } = opening;
  if (found === undefined) throw lost(`the server does not speak revision ${revisions.join(", ")}`);
  if (found.refusal !== undefined) throw lost(`the server refuses: ${found.refusal}`);
  const spoken = revisions.filter((revision) => found.supported.includes(revision));
  const [best] = spoken;
  if (best === undefined) {
    const theirs = JSON.stringify(found.supported);
    throw lost(`the server speaks ${theirs}, and none of ${revisions.join(", ")}`);
  }
  if (LEGACY_REVISIONS.includes(best)) return await openLegacyWire(opening, spoken, signal);
  const said = found.said ?? (await discover(opening, best, signal))?.said;
  if (said === undefined) throw lost(`the server does not speak revision ${best}, which it names`);
  return modernWire(voiceOf(opening, best), identityOf(best, said), opening.transport.hasHeaders);
}

/** Asks a server what it speaks. Absent: the answer is none of the modern era. */
async function discover(
  opening: WireOpening,
  revision: string,
  signal: AbortSignal,
): Promise<Discovery | undefined> {
  const request = { method: "server/discover", params: {}, paramHeaders: [], signal };
  const answer = await askModern(voiceOf(opening, revision), request);
  if ("result" in answer) {
    const { supportedVersions: supported } = answer.result;
    return isJsonArray(supported)
      ? { supported: texts(supported), said: answer.result }
      : undefined;
  }
  const { code, data } = answer.error;
  if (code === UNSUPPORTED_VERSION && isJsonObject(data) && isJsonArray(data.supported)) {
    return { supported: texts(data.supported) };
  }
  const isModern = MODERN_ERRORS.includes(code);
  return isModern ? { supported: [], refusal: saidError(answer.error) } : undefined;
}

const UNSUPPORTED_VERSION = -32022;

/** The errors that only a server of this era has. */
const MODERN_ERRORS: readonly number[] = [-32020, -32021, UNSUPPORTED_VERSION];

function voiceOf(opening: WireOpening, protocolVersion: string): ModernVoice {
  const { transport, answerInput, nextId } = opening;
  return { link: transport.modern, protocolVersion, answerInput, nextId };
}

function identityOf(protocolVersion: string, said: JsonObject): ServerIdentity {
  const meta = isJsonObject(said._meta) ? said._meta : {};
  return present({
    protocolVersion,
    serverInfo: readServerInfo(meta["io.modelcontextprotocol/serverInfo"] ?? said.serverInfo),
    instructions: readText(said.instructions),
  });
}

function texts(values: readonly JsonValue[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}
