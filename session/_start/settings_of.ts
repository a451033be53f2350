import { entryIds } from "../../logic/_assembly/mod.ts";
import {
  errorInfo,
  PortContractError,
  present,
  type RunSettings,
  type ToolProtocol,
} from "../../types/mod.ts";
import type { AgentDefinition } from "../define_agent.ts";
import type { RunRequest, VisibleTools } from "../define_run.ts";

/** A port, as far as the settings go. */
interface Reporting {
  parameters(): Readonly<Record<string, string>>;
}

/**
 * The settings of a run, computed from the assembled objects themselves.
 *
 * @throws {PortContractError} If a port's `parameters()` throws or reports something that is not a string.
 */
export function settingsOf(
  agent: AgentDefinition,
  request: RunRequest,
  toolProtocol: ToolProtocol,
  approveAction: string | undefined,
): RunSettings {
  const { tools } = request;
  return present({
    model: reportOf("model", agent.model),
    interpreter: reportOf("interpreter", agent.interpreter),
    store: reportOf("store", agent.store),
    events: agent.events === undefined ? {} : reportOf("events", agent.events),
    executor: reportOf("executor", request.executor),
    syntheticObservations: { ...agent.syntheticObservations },
    budget: request.budget,
    contextPolicy: request.contextPolicy,
    observationTemplate: request.observationTemplate,
    cancelGraceMs: request.cancelGraceMs,
    modelReplayPolicy: request.modelReplayPolicy,
    onUnknownUsage: request.onUnknownUsage,
    maxConcurrentActions: request.maxConcurrentActions,
    toolProtocol,
    tools: tools?.names,
    toolDigests: tools === undefined ? {} : toolDigests(tools),
    injectedEntryIds: entryIds(request.injections),
    modelBinding: request.modelBinding,
    fingerprints: request.fingerprints,
    derivedFrom: request.derivedFrom,
    approveAction,
  });
}

function reportOf(name: string, port: Reporting): Readonly<Record<string, string>> {
  const method = `${name}.parameters`;
  let reported: unknown;
  try {
    reported = port.parameters();
  } catch (cause) {
    throw new PortContractError(method, "$", `it threw ${errorInfo(cause).message}`, { cause });
  }
  if (!isPlain(reported)) {
    throw new PortContractError(method, "$", "it is not a plain object");
  }
  const parameters = Reflect.ownKeys(reported).map((key): [string, string] => {
    const value = reported[key];
    if (typeof key !== "string" || typeof value !== "string") {
      throw new PortContractError(
        method,
        `$.${String(key)}`,
        "each key and value must be a string",
      );
    }
    return [key, value];
  });
  return Object.fromEntries(parameters);
}

function isPlain(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function toolDigests(tools: VisibleTools): Readonly<Record<string, string>> {
  return Object.fromEntries(tools.names.map((name) => {
    const digest: unknown = tools.toolDigest(name);
    if (typeof digest === "string") return [name, digest];
    throw new PortContractError("tools.toolDigest", "$", "it must be a string");
  }));
}
