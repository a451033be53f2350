import {
  isJsonArray,
  type JsonObject,
  type JsonValue,
  type ModelCallErrorDetails,
  type ModelCallErrorKind,
  present,
} from "../../types/mod.ts";
import { namesContextOverflow, saysContextOverflow } from "./context_overflow.ts";
import { asArray, asObject, asText, type Unknown } from "./unknown_json.ts";

/** What a server said of a failure, in whatever form it says such things. */
export interface ServerError {
  /** What it says. */
  readonly message: string;
  /** The names that it gives the failure: types, codes and states, their letters and digits alone. */
  readonly names: readonly string[];
  /** The code, where it is a number or digits. */
  readonly numericCode?: number;
  /** The error object, for what only some servers say. */
  readonly fields: JsonObject;
}

/**
 * The error that a JSON answer holds: an `error` member, at the top, in an array or inside a choice; or the answer
 * itself where it says that it is one. An error of which every member is empty is none.
 *
 * @param text The answer as it came, which stands for a message where it has none.
 */
export function serverErrorIn(
  answer: JsonValue | undefined,
  text: string,
): ServerError | undefined {
  const bodies = isJsonArray(answer) ? answer : [answer];
  for (const body of bodies.map(asObject)) {
    if (body === undefined) continue;
    const places = [
      body.error,
      asArray(body.errors)[0],
      asObject(body.message)?.error,
      asObject(body.delta)?.error,
      ...asArray(body.choices).flatMap(errorsOf),
    ];
    const place = places.find((value) => isError(value));
    if (place !== undefined) return readError(place, text, body);
    if (isErrorItself(body)) return readError(body, text);
  }
}

/** What an answer says of its failure that is an error by the status, or by its place. */
export function saidError(answer: JsonValue | undefined, text: string): ServerError {
  return serverErrorIn(answer, text) ?? readError(asObject(answer) ?? text, text);
}

/** Where a choice may hold an error of its own. */
function errorsOf(choice: JsonValue): readonly (JsonValue | undefined)[] {
  const fields = asObject(choice);
  const filters = [fields?.content_filter_result, fields?.content_filter_results];
  return [fields, ...filters, fields?.message, fields?.delta]
    .map((place) => asObject(place)?.error);
}

/** What servers write in an error that is none: a missing word, or that all is well. */
const NO_ERROR = /^(|null|none|false|ok|success|0|200)$/i;
/** How deep an error is looked into for something that it says. */
const MAX_DEPTH = 3;

/** Whether a value in the place of an error says anything. */
function isError(value: Unknown, depth = 0): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== "object") return !NO_ERROR.test(String(value).trim());
  const members = Object.values(value);
  return depth < MAX_DEPTH
    ? members.some((member) => isError(member, depth + 1))
    : members.length > 0;
}

/** The names of what says in words what happened. */
const WORDS = [
  ...["message", "msg", "detail", "error_msg", "error_message", "error_description", "title"],
];

function wordsOf(fields: JsonObject): string | undefined {
  return WORDS.map((name) => asText(fields[name])).find((words) => words !== undefined);
}

/** Whether an answer is nothing but an error: it says so, or it has a message and nothing of a reply. */
function isErrorItself(body: JsonObject): boolean {
  const { object, type, choices, content } = body;
  if (object === "error" || type === "error") return true;
  if (wordsOf(body) === undefined || choices !== undefined || content !== undefined) return false;
  const says = [type, object].flatMap((value) => asText(value) ?? []);
  const status = [body.code, body.status].map((code) => inBandStatus(numberOf(code)))
    .find((code) => code !== undefined);
  return status !== undefined || says.every((word) => /error|exception/i.test(word));
}

function readError(said: JsonValue, text: string, beside: JsonObject = {}): ServerError {
  const outer = asObject(said) ?? asObject(asArray(said)[0]);
  const fields = asObject(outer?.error) ?? outer ?? {};
  const message = asText(said) ?? wordsOf(fields) ?? wordsOf(beside) ?? text;
  const { type, code, status, reason, innererror, details } = fields;
  const exceptions = message.match(/\b[A-Z]\w{2,80}(?:Exception|Error)\b/g) ?? [];
  const names = [
    ...[type, code, status, reason, ...exceptions],
    ...[asObject(innererror)?.code, asObject(details)?.error_code],
  ].flatMap((name) => asText(name) ?? []).map(lettersOf);
  const numericCode = [said, code, status, beside.code, beside.status, beside.status_code]
    .map(numberOf).find((number) => number !== undefined);
  return present({ message, names, numericCode, fields });
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** A code that is a number, or digits. */
function numberOf(code: JsonValue | undefined): number | undefined {
  const isDigits = typeof code === "string" && /^\d+$/.test(code);
  return typeof code === "number" || isDigits ? Number(code) : undefined;
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
  const status = response.status < 300
    ? inBandStatus(error.numericCode) ?? statusOfName(error.names)
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

const QUOTA_NAMES =
  /^(insufficientquota|creditbalanceexhausted|.*(spend|usage)limitexceeded|enforcedspendlimitreached)$/;
const POLICY_NAMES =
  /^(contentfilter|contentpolicyviolation|responsibleaipolicyviolation|moderationblocked)$/;

function kindOf(error: ServerError, status: number): ModelCallErrorKind {
  const named = (pattern: RegExp) => error.names.some((name) => pattern.test(name));
  if (isOverflow(error, status)) return "context_length";
  const spent = named(QUOTA_NAMES);
  if (status === 402 || error.numericCode === 402 || (status === 429 && spent)) return "quota";
  const moderated = asArray(asObject(error.fields.metadata)?.reasons).length > 0;
  if ((status === 403 && moderated) || named(POLICY_NAMES)) return "content_policy";
  return KINDS.get(status) ?? (status >= 500 ? "server" : "bad_request");
}

/** A gateway may quote the words of the server behind it. */
function isOverflow({ names, message, fields }: ServerError, status: number): boolean {
  const quoted = asText(asObject(fields.metadata)?.raw) ?? "";
  return names.some(namesContextOverflow) ||
    [message, quoted].some((words) => saysContextOverflow(words, status === 429));
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

/** What the names of an error stand for, by what they hold; the first that matches decides. */
const STATUS_OF_NAME: readonly (readonly [RegExp, number])[] = [
  [/insufficientquota|spendlimit|usagelimit|creditbalance/, 429],
  [/billing|paymentrequired|insufficientbalance/, 402],
  [/authenticat|unauthorized|apikey/, 401],
  [/permission|forbidden|accessdenied/, 403],
  [/notfound/, 404],
  [/toolarge/, 413],
  [/ratelimit|toomanyrequests|throttl|resourceexhausted|slowdown/, 429],
  [/timeout|deadlineexceeded/, 504],
  [/overload|unavailable/, 529],
  [/invalidrequest|badrequest|invalidargument|validation/, 400],
];

function statusOfName(names: readonly string[]): number {
  const found = STATUS_OF_NAME.find(([pattern]) => names.some((name) => pattern.test(name)));
  return found?.[1] ?? 500;
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
