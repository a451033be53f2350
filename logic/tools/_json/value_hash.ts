import { isJsonArray, isJsonObject, type JsonValue } from "../../../types/mod.ts";
import { enter, type Run, spend } from "../_schema/run.ts";

/** 32 bits that equal JSON values share, whatever the order of their keys; others seldom do, unless they are meant to. */
export function valueHash(value: JsonValue, run: Run): number {
  spend(run, 1);
  if (typeof value === "string") return textHash(value, run);
  if (!isJsonArray(value) && !isJsonObject(value)) return textHash(`:${value}`, run);
  enter(run);
  let hash = isJsonArray(value) ? 1 : 2;
  if (isJsonArray(value)) {
    for (const item of value) hash = mixed(hash, valueHash(item, run));
  } else {
    for (const [name, member] of Object.entries(value)) {
      hash = (hash + mixed(textHash(name, run), valueHash(member, run))) | 0;
    }
  }
  run.depth--;
  return hash;
}

function textHash(text: string, run: Run): number {
  spend(run, text.length >> 6);
  let hash = text.length;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash, text.length);
}

function mixed(a: number, b: number): number {
  const hash = Math.imul(a ^ (b >>> 15) ^ (b << 7), 0x2c1b3c6d);
  return Math.imul(hash ^ (hash >>> 13) ^ b, 0x297a2d39) ^ (hash >>> 16);
}
