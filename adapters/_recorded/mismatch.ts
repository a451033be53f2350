import { firstDifference, shownDifference } from "../../types/mod.ts";

/** The first place where what a recorded port was given is not what the record has. */
export interface RecordedMismatch {
  /** The call or the action: its id without the run's. */
  readonly key: string;
  /** The path inside it, such as `messages[4].content[0].text`. Absent: there is no such call or action on record. */
  readonly path?: string;
  /** What the record has there; `undefined` if nothing. */
  readonly recorded: unknown;
  /** What it was given; `undefined` if nothing. */
  readonly now: unknown;
}

/** The first field in which something differs from its record. */
export function mismatchIn(
  key: string,
  recorded: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): RecordedMismatch | undefined {
  for (const field of Object.keys(now)) {
    const found = firstDifference(recorded[field], now[field]);
    if (found === undefined) continue;
    return { key, path: field + found.path, recorded: found.a, now: found.b };
  }
  return undefined;
}

/** A mismatch in words: where, and both values. */
export function mismatchText({ key, path, recorded, now }: RecordedMismatch): string {
  if (path === undefined) {
    return `Cannot answer ${key} as it is not on record: its run had none, or nobody knows what it came to`;
  }
  const [was, is] = shownDifference(recorded, now);
  return `Cannot answer ${key} as ${placeText(path)} is not the recorded one\n` +
    `  recorded: ${was}\n  now:      ${is}`;
}

function placeText(path: string): string {
  const [, message, inside] = /^messages\[(\d+)\](?:\.(.*))?$/.exec(path) ?? [];
  if (message === undefined) return `its "${path}"`;
  return inside === undefined ? `message ${message}` : `message ${message} (${inside})`;
}
