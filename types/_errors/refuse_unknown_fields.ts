import { InvalidRequestError } from "./request_errors.ts";

/**
 * Refuses a field that nobody would read, and names the nearest that there is: a slip of the pen must not go unnoticed.
 *
 * @param known The names of the fields that there are.
 * @param where How an error names the place: what stands before the name of a field, what the whole is called (by default
 * as the prefix says, else "options"), and whether values are kept out of it since they may be secret.
 * @throws {InvalidRequestError} If a field is none of them, or the fields are not in an object.
 */
export function refuseUnknownFields(
  given: object,
  known: readonly string[],
  where: { readonly prefix?: string; readonly whole?: string; readonly hideValues?: boolean } = {},
): void {
  const { prefix = "", hideValues = false } = where;
  const { whole = prefix.replace(/\.$/, "") || "options" } = where;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InvalidRequestError(whole, hideValues ? HIDDEN : given, "it must be an object");
  }
  for (const [field, value] of Object.entries(given)) {
    if (known.includes(field)) continue;
    const nearest = nearestName(field, known);
    const advice = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
    throw new InvalidRequestError(
      `${prefix}${field}`,
      hideValues ? HIDDEN : value,
      `there is no such field${advice}`,
    );
  }
}

const HIDDEN = "(hidden)";

/** The name that was most likely meant. Absent: none is near. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  const most = Math.ceil(letters.length / 3);
  return known
    .map((other) => ({ other, edits: editsBetween(letters, lettersOf(other)) }))
    .filter(({ other, edits }) => edits <= most || isPart(letters, lettersOf(other)))
    .sort((a, b) => a.edits - b.edits)[0]?.other;
}

/** A name as far as it is told apart: `max_steps` means `maxSteps`. */
function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Whether one name begins or ends the other, as `timeout` begins `timeoutMs`. */
function isPart(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && (long.startsWith(short) || long.endsWith(short));
}

/** How many letters must be added, taken away or changed to make one name of the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const [left = 0, above = 0, before = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, above + 1, before + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
