import {
  type JsonObject,
  type JsonValue,
  type ModelCallErrorDetails,
  type ModelCallErrorKind,
  present,
} from "../../types/mod.ts";
import { asArray, asObject, asText } from "./unknown_json.ts";

/** What a server said of a failure, in whatever form it says such things. */
export interface ServerError {
  /** What it says. */
  readonly message: string;
  /** The type and the code, where they are strings. */
  readonly names: readonly string[];
  /** The code, where it is a number or digits. */
  readonly numericCode?: number;
  /** The error object, for what only some servers say. */
  readonly fields: JsonObject;
}

/**
 * The error that a JSON answer holds: an `error` member, or the answer itself where it says that it is one.
 *
 * @param text The answer as it came, which stands for a message where it has none.
 */
export function serverErrorIn(
  answer: JsonValue | undefined,
  text: string,
): ServerError | undefined {
  const body = asObject(answer);
  if (body === undefined) return undefined;
  const said = asText(body.error);
  if (said !== undefined) return { message: said, names: [], fields: {} };
  const fields = asObject(body.error) ??
    (body.object === "error" || body.type === "error" ? body : undefined);
  if (fields === undefined) return undefined;
  const { type, code } = fields;
  return present({
    message: asText(fields.message) ?? text,
    names: [asText(type), asText(code)].filter((name) => name !== undefined),
    numericCode: typeof code === "number" || (typeof code === "string" && /^\d+$/.test(code))
      ? Number(code)
      : undefined,
    fields,
  });
}

/**
 * What a failure is to a gateway (`kind`, `retriable`, `retryAfterMs`), by what the server said, its headers and the
 * HTTP status; the first rule that matches decides.
 *
 * @param now The time that a `Retry-After` date is measured against, in milliseconds since the epoch.
 */
export function serverFailure(
  error: ServerError,
  response: { readonly status: number; readonly headers: Headers },
  now: number,
): ModelCallErrorDetails {
  const retryAfterMs = readRetryAfter(response.headers, now);
  const status = response.status === 200
    ? inBandStatus(error.numericCode) ?? statusOfType(error.names)
    : response.status;
  const kind = kindOf(error, status);
  const retriable = kind === "quota"
    ? status !== 429 && retryAfterMs !== undefined
    : RETRIABLE.has(kind);
  const override = kind === "context_length" || kind === "quota"
    ? null
    : response.headers.get("x-should-retry");
  return present({
    kind,
    retriable: override === "true" || (override !== "false" && retriable),
    retryAfterMs,
  });
}

const RETRIABLE: ReadonlySet<ModelCallErrorKind> = new Set<ModelCallErrorKind>([
  "timeout",
  "conflict",
  "rate_limit",
  "overloaded",
  "server",
]);

const OVERFLOW =
  /maximum context length|prompt is too long|exceeds the available context size|exceed the configured limit of .{1,40} tokens|longer than the model's context length|ContextWindowExceededError/i;
const OVERFLOW_NAMES = /^(context_length_exceeded|exceed_context_size_error)$/;
const QUOTA_NAMES =
  /^(insufficient_quota|credit_balance_exhausted|.*_(spend|usage)_limit_exceeded)$/;
const POLICY_NAMES = /^(content_filter|content_policy_violation)$/;

function kindOf(error: ServerError, status: number): ModelCallErrorKind {
  const named = (pattern: RegExp) => error.names.some((name) => pattern.test(name));
  if (named(OVERFLOW_NAMES) || OVERFLOW.test(error.message)) return "context_length";
  const spent = named(QUOTA_NAMES) ||
    asObject(error.fields.details)?.error_code === "enforced_spend_limit_reached";
  if (status === 402 || error.numericCode === 402 || (status === 429 && spent)) return "quota";
  const moderated = asArray(asObject(error.fields.metadata)?.reasons).length > 0;
  if ((status === 403 && moderated) || named(POLICY_NAMES)) return "content_policy";
  return KINDS.get(status) ?? (status >= 500 ? "server" : "bad_request");
}

const KINDS: ReadonlyMap<number, ModelCallErrorKind> = new Map<number, ModelCallErrorKind>([
  [401, "auth"],
  [403, "auth"],
  [404, "not_found"],
  [408, "timeout"],
  [409, "conflict"],
  [413, "too_large"],
  [429, "rate_limit"],
  [503, "overloaded"],
  [504, "timeout"],
  [529, "overloaded"],
]);

function inBandStatus(code: number | undefined): number | undefined {
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}

const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["invalid_request_error", 400],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

function statusOfType(names: readonly string[]): number {
  for (const name of names) {
    const status = STATUS_OF_TYPE.get(name);
    if (status !== undefined) return status;
  }
  return 500;
}

/** `retry-after-ms`, else `Retry-After` as seconds or as a date, in milliseconds; absent if neither can be read. */
function readRetryAfter(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after") ?? "";
  const waits = [decimal(headers.get("retry-after-ms") ?? ""), decimal(text) * 1000];
  const ms = [...waits, httpDate(text) - now].find((wait) => wait <= Number.MAX_SAFE_INTEGER);
  return ms === undefined ? undefined : Math.max(0, Math.round(ms));
}

function decimal(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
}

/** An HTTP date in milliseconds since the epoch; NaN for anything else. The oldest of its three forms has no zone. */
function httpDate(text: string): number {
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return NaN;
  return Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
}
