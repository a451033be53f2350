import { RunLogCorruptError } from "../../types/mod.ts";
import { linesOf, type ReadStore } from "../_store/read_store.ts";
import { grouped } from "./shown_text.ts";

/** How much of a log a page may be made of that needs all of it, in UTF-16 units. */
const MAX_LOG_UNITS = 100_000_000;

/**
 * Refuses a log that is too large for a page.
 *
 * @param what What was to be done to it, such as `show all of`.
 * @param advice What can be shown.
 */
export async function refuseLarge(
  open: ReadStore,
  runId: string,
  what: string,
  advice: string,
): Promise<void> {
  if (await unitsOf(open, runId) > MAX_LOG_UNITS) throw tooLarge(what, runId, advice);
}

function tooLarge(what: string, runId: string, advice: string): Error {
  return new Error(
    `Cannot ${what} run "${runId}" as its log has more than ${
      grouped(MAX_LOG_UNITS)
    } characters: ${advice}`,
  );
}

/** The lines that a log has now, in parts; no more of them than a page may be made of. */
export async function smallPartsOf(
  open: ReadStore,
  runId: string,
  advice: string,
): Promise<readonly (readonly string[])[]> {
  const parts: (readonly string[])[] = [];
  let units = 0;
  for await (const lines of linesOf(open, runId)) {
    for (const line of lines) units += line.length;
    if (units > MAX_LOG_UNITS) throw tooLarge("show all of", runId, advice);
    parts.push(lines);
  }
  return parts;
}

/** How large a log is, up to its fault if it has one, and no further than need be. */
async function unitsOf({ store }: ReadStore, runId: string): Promise<number> {
  let units = 0;
  try {
    for await (const lines of store.readLines(runId)) {
      for (const line of lines) units += line.length;
      if (units > MAX_LOG_UNITS) break;
    }
  } catch (error) {
    if (!(error instanceof RunLogCorruptError)) throw error;
  }
  return units;
}
