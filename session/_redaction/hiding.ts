import { isJsonObject, type JsonValue } from "../../types/mod.ts";
import { mapJson, type TextMap } from "./map_texts.ts";
import { markerOf, readingsOf, type SecretTexts } from "./secret_texts.ts";

/** What stands for a digest that was dropped: a digest of nothing. */
const NO_DIGEST = `sha256:${"0".repeat(64)}`;

/** How texts are hidden. */
export interface Hiding {
  readonly secrets: SecretTexts;
  readonly key: string | undefined;
  readonly digests: "keep" | "drop";
}

/** Puts markers for what is to be hidden. */
export function hidingMap({ secrets, key, digests }: Hiding): TextMap {
  const holds = (text: string) => secrets.rangesIn(text).length > 0;
  const isSpelled = (text: string) => readingsOf(text).slice(1).some(holds);
  const marker = (text: string, what = "") => markerOf(text, what, key);
  const text = (given: string): string => {
    const kept: string[] = [];
    let [shown, at] = ["", 0];
    for (const [start, end] of secrets.rangesIn(given)) {
      kept.push(given.slice(at, start));
      shown += given.slice(at, start) + marker(given.slice(start, end));
      at = end;
    }
    kept.push(given.slice(at));
    return kept.some(isSpelled) ? marker(given) : shown + given.slice(at);
  };
  const number = (given: number) => holds(String(given)) ? marker(String(given), " number") : given;
  const value = (given: JsonValue): JsonValue => {
    const texts: string[] = [];
    const hidden = mapJson(given, {
      text(part) {
        const shown = text(part);
        if (shown !== part) texts.push(JSON.stringify(shown));
        return shown;
      },
      number(part) {
        const shown = number(part);
        if (shown !== part) texts.push(JSON.stringify(shown));
        return shown;
      },
    });
    const written = JSON.stringify(hidden);
    const rest = texts.reduce((left, shown) => left.replaceAll(shown, '""'), written);
    // What is found across the texts of a value, as a key with what it stands for, hides all of it.
    return typeof hidden === "object" && holds(rest)
      ? marker(JSON.stringify(given), " value")
      : hidden;
  };
  return {
    text,
    value,
    listed: (given) => text(given).replaceAll(" code points, sha256:", " code points; sha256:"),
    raw(given) {
      const parsed = parsedOf(given);
      if (parsed === undefined) return text(given);
      const shown = JSON.stringify(value(parsed));
      return shown === JSON.stringify(parsed) && text(given) === given ? given : shown;
    },
    digest: (given) => digests === "drop" ? NO_DIGEST : given,
  };
}

/** What a text of JSON says. Absent: it is none. */
function parsedOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Finds all texts that are to be hidden, and gives everything back as it is. */
export function findingMap(
  secrets: SecretTexts,
  pointers: readonly string[],
  found: (text: string) => void,
): TextMap {
  const text = (given: string): string => {
    for (const spelled of readingsOf(given)) {
      for (const [start, end] of secrets.rangesIn(spelled)) found(spelled.slice(start, end));
    }
    return given;
  };
  const number = (given: number) => {
    text(String(given));
    return given;
  };
  return {
    text,
    listed: text,
    raw(given) {
      const parsed = parsedOf(given);
      if (parsed !== undefined) this.value(parsed);
      return text(given);
    },
    value(given) {
      for (const pointer of pointers) {
        for (const root of pointerRoots(given)) leavesOf(valueAt(root, pointer), found);
      }
      return mapJson(given, { text, number });
    },
    digest: (given) => given,
  };
}

/** The arguments that a pointer leads into: the value itself, or what an action of a text protocol calls its arguments. */
function pointerRoots(value: JsonValue): readonly JsonValue[] {
  const inner = isJsonObject(value) ? value.arguments : undefined;
  return inner === undefined ? [value] : [value, inner];
}

/** What stands where a JSON pointer (RFC 6901) leads. Absent: nothing does. */
function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  const steps = pointer.split("/").slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce<JsonValue | undefined>(memberOf, root);
}

function memberOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
  return isJsonObject(value) ? value[step] : value[Number(step)];
}

function leavesOf(value: JsonValue | undefined, found: (text: string) => void): void {
  if (value === undefined) return;
  if (typeof value === "string") found(value);
  else if (typeof value === "number") found(String(value));
  else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) leavesOf(member, found);
  }
}
