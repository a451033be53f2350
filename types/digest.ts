import { createHmac, hash } from "node:crypto";
import { requireString } from "./_errors/require_type.ts";

/**
 * The digest of a text: `sha256:` and the lower-case hex of its UTF-8 bytes. A lone surrogate is hashed as U+FFFD,
 * as UTF-8 has no form for it; canonical JSON escapes it, so digests of canonical JSON tell the two apart.
 *
 * @example
 * ```ts
 * import { digest } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(digest("").slice(0, 15), "sha256:e3b0c442");
 * ```
 *
 * @throws {InvalidRequestError} If it is no text.
 */
export function digest(text: string): string {
  requireString("text", text);
  return `sha256:${hash("sha256", text)}`;
}

/** The digest of a text that only who has the key can make again: HMAC-SHA-256, written as {@link digest} writes its own. */
export function keyedDigest(key: string, text: string): string {
  return `sha256:${createHmac("sha256", key).update(text).digest("hex")}`;
}
