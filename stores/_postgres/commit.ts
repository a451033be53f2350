import type { Durability } from "../../types/mod.ts";
import { isRolledBack } from "./client.ts";

/** What became of an entry: it is in the log of a run, it was refused, or nobody can say. */
export type PostgresOutcome =
  | { readonly kind: "written"; readonly run: string }
  | { readonly kind: "refused" }
  | { readonly kind: "failed"; readonly durability: Durability; readonly cause: unknown };

/** The entry that a look found in the place of another. */
export interface FoundEntry {
  readonly run: string;
  readonly token: string;
}

/**
 * Writes an entry. Where the answer is an error, or no, its token in the database decides: an answer can get lost, and
 * what stands between a client and its server may have sent the statement twice. It is never sent again from here.
 */
export async function commitEntry(
  token: string,
  write: () => Promise<string | null>,
  look: () => Promise<FoundEntry | null>,
): Promise<PostgresOutcome> {
  let failure: { readonly cause: unknown } | undefined;
  try {
    const run = await write();
    if (run !== null) return { kind: "written", run };
  } catch (cause) {
    failure = { cause };
  }
  let found: FoundEntry | null;
  try {
    found = await look();
  } catch (cause) {
    return { kind: "failed", durability: "unknown", cause: failure?.cause ?? cause };
  }
  if (found?.token === token) return { kind: "written", run: found.run };
  if (found !== null || failure === undefined) return { kind: "refused" };
  const { cause } = failure;
  // Where the server has not said that it gave up, the statement may still be under way.
  return { kind: "failed", durability: isRolledBack(cause) ? "none" : "unknown", cause };
}
