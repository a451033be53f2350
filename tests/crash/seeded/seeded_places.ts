import type { SeededBug } from "./seeded_bug.ts";
import { SEEDED_BUGS } from "./seeded_bugs.ts";
import type { ReportedPlace } from "./seeded_places_plugin.ts";

/** The folders that have a place. */
const FOLDERS = new Set(SEEDED_BUGS.flatMap(({ edits }) => edits.map(({ within }) => within)));

/** One change at its place in a tree. */
export interface Change extends ReportedPlace {
  readonly path: string;
}

/**
 * Finds the places of every seeded bug in the tree under a root, the last in a file first. Throws where an edit has not
 * exactly one place.
 */
export async function seededPlaces(root: URL): Promise<ReadonlyMap<SeededBug, readonly Change[]>> {
  const reports = await reportedPlaces(root);
  const faults: string[] = [];
  const places = SEEDED_BUGS.map(({ name, edits }, bug) =>
    edits.flatMap(({ within, find }, at) => {
      const found = reports.get(`seeded/${bug}-${at}`) ?? [];
      if (found.length === 1) return found;
      const where = found.map(({ path, range }) => `\n    ${path} at ${range[0]}`).join("");
      faults.push(`"${name}" finds ${found.length} places in ${within} by ${find}${where}`);
      return [];
    }).sort((a, b) => b.range[0] - a.range[0])
  );
  if (faults.length > 0) throw new Error(`Cannot seed bugs:\n  ${faults.join("\n  ")}`);
  return new Map(SEEDED_BUGS.map((bug, index) => [bug, places[index]!]));
}

async function reportedPlaces(root: URL): Promise<ReadonlyMap<string, readonly Change[]>> {
  const config = decodeURI(new URL("seeded_places.json", import.meta.url).pathname);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["lint", "--json", "--config", config, ...FOLDERS],
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
