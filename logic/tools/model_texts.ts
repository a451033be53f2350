import { digest, InvalidRequestError } from "../../types/mod.ts";
import { snakeCase } from "../../types/snake_case.ts";

/**
 * Texts that are written for a model: the defaults, with those replaced that the caller gave.
 *
 * @throws {InvalidRequestError} If a given text is not a string, or has a name that no default has.
 */
export function modelTexts<T extends object>(defaults: T, given: Partial<T> | undefined): T {
  for (const [name, text] of Object.entries(given ?? {})) {
    if (!Object.hasOwn(defaults, name)) {
      throw new InvalidRequestError(
        `texts.${name}`,
        text,
        `there is no such text (there are: ${Object.keys(defaults).join(", ")})`,
      );
    }
    if (typeof text !== "string") {
      throw new InvalidRequestError(`texts.${name}`, text, "a text must be a string");
    }
  }
  return { ...defaults, ...given };
}

/** Puts each value literally in place of its `{name}`; all else in the text stays as it is. */
export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(
    /\{(\w+)\}/g,
    (field, name) => Object.hasOwn(values, name) ? String(values[name]) : field,
  );
}

/** The digest of each text, for `parameters()`: `text.<name>`, the name in snake_case. */
export function textDigests(texts: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`text.${snakeCase(name)}`, digest(text)]),
  );
}
