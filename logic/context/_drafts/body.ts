import {
  canonicalJson,
  countCodePoints,
  digest,
  type JsonValue,
  type Message,
  messageSize,
} from "../../../types/mod.ts";
import type { ContextSection } from "../section.ts";

/** The size of a body in code points, as the kernel counts it. */
export function bodySize(body: ContextSection["body"]): number {
  return typeof body === "string" ? countCodePoints(body) : messagesSize(body);
}

/** The size of messages in code points, as the kernel counts it. */
export function messagesSize(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageSize(message), 0);
}

/** The digest of a body's canonical JSON: it tells lone surrogates apart, which the digest of the text would not. */
export function bodyDigest(body: ContextSection["body"]): string {
  return digest(canonicalJson(typeof body === "string" ? body : body.map(withoutProvenance)));
}

function withoutProvenance({ role, content, providerData }: Message): JsonValue {
  const blocks = content.map((block) => ({ ...block }));
  return providerData === undefined
    ? { role, content: blocks }
    : { role, content: blocks, providerData };
}
