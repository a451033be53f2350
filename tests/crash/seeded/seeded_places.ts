import type { SeededBug } from "./seeded_bug.ts";
import { SEEDED_BUGS } from "./seeded_bugs.ts";
import type { ReportedPlace } from "./seeded_places_plugin.ts";

/** One change at its place in a tree. */
export interface Change extends ReportedPlace {
  readonly path: string;
}

/** Orders changes so that none moves the place of one that is made after it. */
export function lastFirst(a: Change, b: Change): number {
  return b.range[0] - a.range[0];
}

/**
 * Finds the places of seeded bugs, of all unless told otherwise, in the tree under a root. Throws where an edit has not
 * exactly one place.
 */
export async function seededPlaces(
  root: URL,
  bugs: readonly SeededBug[] = SEEDED_BUGS,
): Promise<ReadonlyMap<SeededBug, readonly Change[]>> {
  const reports = await reportedPlaces(root, bugs);
  const faults: string[] = [];
  const places = new Map<SeededBug, readonly Change[]>();
  for (const bug of bugs) {
    const changes = bug.edits.flatMap(({ within, find }, at) => {
      const found = reports.get(`seeded/${SEEDED_BUGS.indexOf(bug)}-${at}`) ?? [];
      if (found.length === 1) return found;
      const where = found.map(({ path, range }) => `\n    ${path} at ${range[0]}`).join("");
      faults.push(`"${bug.name}" finds ${found.length} places in ${within} by ${find}${where}`);
      return [];
    });
    places.set(bug, changes);
  }
  if (faults.length > 0) throw new Error(`Cannot seed bugs:\n  ${faults.join("\n  ")}`);
  return places;
}

async function reportedPlaces(
  root: URL,
  bugs: readonly SeededBug[],
): Promise<ReadonlyMap<string, readonly Change[]>> {
  const folders = new Set(bugs.flatMap(({ edits }) => edits.map(({ within }) => within)));
  const config = decodeURI(new URL("seeded_places.json", import.meta.url).pathname);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["lint", "--json", "--config", config, ...folders],
    cwd: root,
    stderr: "inherit",
  }).output();
  const { diagnostics } = JSON.parse(new TextDecoder().decode(stdout)) as {
    diagnostics: { code: string; filename: string; message: string }[];
  };
  const changes = diagnostics.map(({ code, filename, message }) => ({
    code,
    path: decodeURI(filename.slice(root.href.length)),
    ...JSON.parse(message) as ReportedPlace,
  }));
  return Map.groupBy(changes, ({ code }) => code);
}
