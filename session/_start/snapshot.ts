import { sortedChannels } from "../../logic/_assembly/mod.ts";
import { errorInfo, PortContractError, type RunInputs, snakeCase } from "../../types/mod.ts";
import type { AgentDefinition } from "../define_agent.ts";
import type { RunRequest, VisibleTools } from "../define_run.ts";

/** A port, as far as the snapshot goes. */
interface Reporting {
  parameters(): Readonly<Record<string, string>>;
}

/**
 * The parameter snapshot of a run: what would make another run of it, as one flat map of strings, computed from the
 * assembled objects themselves, so that no description of them can differ from what ran.
 *
 * @throws {PortContractError} If a port's `parameters()` throws or reports something that is not a text.
 */
export function parameterSnapshot(
  agent: AgentDefinition,
  request: RunRequest,
  approvalId: string | undefined,
): Readonly<Record<string, string>> {
  const snapshot: Record<string, string> = {};
  addPort(snapshot, "definition.model", "model", agent.model);
  addPort(snapshot, "definition.interpreter", "interpreter", agent.interpreter);
  addPort(snapshot, "definition.store", "store", agent.store);
  if (agent.events !== undefined) addPort(snapshot, "definition.events", "events", agent.events);
  addAll(snapshot, "definition.synthetic_observation", agent.syntheticObservations, snakeCase);
  addPort(snapshot, "request.executor", "executor", request.executor);
  addAll(snapshot, "request.budget", request.budget, snakeCase);
  snapshot["request.observation_template"] = request.observationTemplate;
  snapshot["request.cancel_grace_ms"] = String(request.cancelGraceMs);
  snapshot["request.model_replay_policy"] = request.modelReplayPolicy;
  if (request.toolProtocol === "native") snapshot["request.tool_protocol"] = "native";
  Object.assign(snapshot, inputParameters(request.injections, request.tools?.names));
  if (request.tools !== undefined) {
    for (const name of request.tools.names) {
      snapshot[`request.tool_digest.${name}`] = toolDigest(request.tools, name);
    }
  }
  addAll(snapshot, "request.binding", request.modelBinding);
  addAll(snapshot, "request.fingerprint", request.fingerprints);
  if (approvalId !== undefined) snapshot["request.callback.approve_action"] = approvalId;
  return Object.freeze(snapshot);
}

/** What the snapshot says of the run's inputs: the ids of each channel's injections, and the tools' names. */
export function inputParameters(
  injections: RunInputs["injections"],
  toolNames: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = {};
  if (toolNames !== undefined) parameters["request.tools"] = toolNames.join(",");
  for (const channel of sortedChannels(injections)) {
    const ids = injections[channel]!.map(({ entryId }) => entryId);
    parameters[`request.injected_entry_ids.${channel}`] = ids.join(",");
  }
  return parameters;
}

function addPort(
  snapshot: Record<string, string>,
  prefix: string,
  name: string,
  port: Reporting,
): void {
  const method = `${name}.parameters`;
  let parameters: unknown;
  try {
    parameters = port.parameters();
  } catch (cause) {
    throw new PortContractError(method, "$", `it threw ${errorInfo(cause).message}`, { cause });
  }
  if (!isPlain(parameters)) {
    throw new PortContractError(method, "$", "it is not a plain object");
  }
  for (const key of Reflect.ownKeys(parameters)) {
    const value = (parameters as Readonly<Record<PropertyKey, unknown>>)[key];
    if (typeof key !== "string" || typeof value !== "string") {
      throw new PortContractError(method, `$.${String(key)}`, "each key and value must be a text");
    }
    snapshot[`${prefix}.${key}`] = value;
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function toolDigest(tools: VisibleTools, name: string): string {
  const digest: unknown = tools.toolDigest(name);
  if (typeof digest === "string") return digest;
  throw new PortContractError("tools.toolDigest", "$", "it must be a text");
}

function addAll(
  snapshot: Record<string, string>,
  prefix: string,
  values: object,
  rename: (key: string) => string = (key) => key,
): void {
  for (const [key, value] of Object.entries(values)) {
    snapshot[`${prefix}.${rename(key)}`] = String(value);
  }
}
