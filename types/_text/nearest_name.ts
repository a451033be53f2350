/**
 * What an error adds for a name that there is not: the nearest that there is. Nothing where none is near.
 *
 * @example
 * ```ts
 * import { nearestNameAdvice } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(nearestNameAdvice("timeout_ms", ["timeoutMs", "texts"]), ' (did you mean "timeoutMs"?)');
 * assertEquals(nearestNameAdvice("colour", ["timeoutMs", "texts"]), "");
 * ```
 */
export function nearestNameAdvice(name: string, known: readonly string[]): string {
  const letters = lettersOf(name);
  const most = Math.ceil(letters.length / 3);
  const [nearest] = known
    .map((other) => ({ other, edits: editsBetween(letters, lettersOf(other)) }))
    .filter(({ other, edits }) => edits <= most || isPart(letters, lettersOf(other)))
    .sort((a, b) => a.edits - b.edits);
  return nearest === undefined ? "" : ` (did you mean "${nearest.other}"?)`;
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
