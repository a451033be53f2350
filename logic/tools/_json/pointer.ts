/** The JSON pointer (RFC 6901) of a path of keys and indices; the empty text for the root. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((token) => `/${escapeToken(String(token))}`).join("");
}

/** A key as a JSON pointer writes it. */
export function escapeToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
