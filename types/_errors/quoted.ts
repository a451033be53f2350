/** How many characters of a value an error shows. */
const SHOWN = 200;

/** A value as an error text shows it, cut to 200 characters. */
export function quoted(value: unknown): string {
  if (value === undefined) return "nothing";
  try {
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    // Cut here and not by `excerpt`: what counts code points refuses wrong arguments, by an error that quotes them.
    const kept = Array.from(text.slice(0, 2 * SHOWN)).slice(0, SHOWN).join("");
    return kept.length === text.length ? text : `${kept}…`;
  } catch {
    return typeof value;
  }
}
