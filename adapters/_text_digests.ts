import { digest } from "../types/mod.ts";

/** The digest of each text, for `parameters()`: `text.<name>`, the name in snake_case. */
export function textDigests(texts: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`text.${snakeCase(name)}`, digest(text)]),
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
