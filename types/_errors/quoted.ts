/** A value as an error text shows it, cut to 200 characters. */
export function quoted(value: unknown): string {
  if (value === undefined) return "nothing";
  try {
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  } catch {
    return typeof value;
  }
}
