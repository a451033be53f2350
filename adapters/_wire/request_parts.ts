import { checkShape, InvalidRequestError, mapShape, stringShape } from "../../types/mod.ts";

const HIDDEN = "(hidden)";

/**
 * An address as a caller gave it.
 *
 * @param field The option that it is, for the error, which does not quote it.
 * @throws {InvalidRequestError} If it is not plain http(s).
 */
export function readAddress(field: string, text: string): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new InvalidRequestError(
      field,
      text === undefined ? text : HIDDEN,
      "it must be an http(s) address such as http://localhost:11434/v1, without a user name and password",
    );
  }
  url.hash = "";
  return url;
}

/**
 * Checks a key, before it is made a header of.
 *
 * @throws {InvalidRequestError} Which does not quote it.
 */
export function checkApiKey(apiKey: unknown): void {
  if (apiKey === undefined) return;
  if (typeof apiKey === "string") {
    try {
      return void new Headers({ key: apiKey });
    } catch {
      // HTTP cannot carry it: that is said below, without what `Headers` would quote of it.
    }
  }
  throw new InvalidRequestError("apiKey", HIDDEN, "it must be a string that HTTP can carry");
}

/** Whether something is a plain object of strings: no promise, and no `Headers`, whose entries nobody would see. */
export function isMapOfStrings(value: unknown): value is Readonly<Record<string, string>> {
  return Object.getPrototypeOf(Object(value)) === Object.prototype &&
    checkShape(value, mapShape(stringShape)).ok;
}

/**
 * Headers as a caller gave them.
 *
 * @throws {InvalidRequestError} If HTTP cannot carry one; its value is not quoted.
 */
export function readHeaders(record: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(record)) {
    try {
      headers.set(name, value);
    } catch {
      throw new InvalidRequestError(
        `headers.${name}`,
        HIDDEN,
        "HTTP cannot carry its name or value",
      );
    }
  }
  return headers;
}
