import type { JsonValue } from "../../../types/mod.ts";
import { asCount, asObject } from "../unknown_json.ts";

/**
 * The counts of tokens that a server reports, by the names that it gives them; one inside another object has both names,
 * with a dot between. They are running totals: the last one counts, but a later zero, or nothing, takes no count back.
 */
export class TokenCounts {
  /** The counts of each place where they were reported, from the one that goes before all others. */
  readonly #places: Map<string, number>[] = [];

  /**
   * Takes a report; what is none is passed over.
   *
   * @param place Where it stood: what place 0 says goes before what place 1 says.
   */
  take(report: JsonValue | undefined, place = 0): void {
    const counts = this.#places[place] ??= new Map();
    for (const [name, value] of Object.entries(asObject(report) ?? {})) {
      takeCount(counts, name, value);
      for (const [part, inner] of Object.entries(asObject(value) ?? {})) {
        takeCount(counts, `${name}.${part}`, inner);
      }
    }
  }

  /** The first count above zero, of several names in their order; else zero, if one was reported. */
  get(...names: readonly string[]): number | undefined {
    const found = this.#places.flatMap((counts) => names.map((name) => counts.get(name)))
      .filter((count) => count !== undefined);
    return found.find((count) => count > 0) ?? found[0];
  }
}

function takeCount(counts: Map<string, number>, name: string, value: JsonValue): void {
  const count = asCount(value);
  if (count !== undefined && (count > 0 || !counts.has(name))) counts.set(name, count);
}
