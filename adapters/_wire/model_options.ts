import {
  canonicalJson,
  copyJson,
  InvalidRequestError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../types/mod.ts";
import { checkWhole, LONGEST_TIMER_MS } from "../_check_whole.ts";
import type { CallTimes } from "./call_limits.ts";

/**
 * Checks and copies the caller's members of a request's body.
 *
 * @param reserved The members that the adapter itself writes.
 * @throws {InvalidRequestError} For a reserved member, or what is no object.
 * @throws {SerializationError} For a value that JSON cannot carry.
 */
export function requestMembers(
  request: Readonly<Record<string, JsonValue>>,
  reserved: readonly string[],
): JsonObject {
  for (const name of reserved) {
    if (Object.hasOwn(request, name)) {
      throw new InvalidRequestError(
        `request.${name}`,
        request[name],
        "the adapter writes that member itself: leave it out",
      );
    }
  }
  const members = copyJson(request, "request");
  if (isJsonObject(members)) return members;
  throw new InvalidRequestError("request", request, "it must be an object");
}

/**
 * How long a call may take.
 *
 * @throws {InvalidRequestError} If a time is none that a timer can wait for.
 */
export function callTimes(options: Partial<CallTimes> & { readonly stream?: boolean }): CallTimes {
  const { stream = false, timeoutMs = 600_000, idleTimeoutMs = stream ? 120_000 : 0 } = options;
  checkWhole("timeoutMs", timeoutMs, 0, LONGEST_TIMER_MS);
  checkWhole("idleTimeoutMs", idleTimeoutMs, 0, LONGEST_TIMER_MS);
  return { timeoutMs, idleTimeoutMs };
}

/**
 * Checks the name of a model.
 *
 * @throws {InvalidRequestError} If it is empty, or not a string.
 */
export function checkModel(model: string): void {
  if (typeof model === "string" && model !== "") return;
  throw new InvalidRequestError("model", model, "it must be a string that is not empty");
}

/** What a model adapter reports for the parameter snapshot: what it sends, not where to, and no key. */
export function modelParameters(
  kind: string,
  model: string,
  members: JsonObject,
): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = { kind, model };
  for (const [name, value] of Object.entries(members)) {
    parameters[`request.${name}`] = canonicalJson(value);
  }
  return Object.freeze(parameters);
}
