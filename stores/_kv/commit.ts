import type { KvAtomicOperation } from "./database.ts";

/** What became of a commit: it took effect, a check failed, or nobody can say. */
export type KvOutcome =
  | { readonly kind: "committed"; readonly versionstamp: string }
  | { readonly kind: "refused" }
  | { readonly kind: "failed"; readonly durability: "none" | "unknown"; readonly cause: unknown };

/** What a look into the database says: the commit's own versionstamp, another's write in its place, or nothing. */
export type KvFinding = { readonly versionstamp: string } | "taken" | "absent";

/** How often a locked database is tried, with pauses that come to some 5 seconds. */
const LOCKED_TRIES = 60;
const LONGEST_PAUSE_MS = 100;

/**
 * Commits an operation. Where the answer is an error or a failed check, what is in the database decides: the answer to
 * a commit that took effect can get lost, here or between a client and its server. An operation is tried again only
 * when the database was locked, which it says before it does anything, and only after a look has shown that it did not
 * take effect.
 */
export async function commitKv(
  operation: () => KvAtomicOperation,
  look: () => Promise<KvFinding>,
): Promise<KvOutcome> {
  for (let tries = 1;; tries++) {
    let failure: { readonly cause: unknown } | undefined;
    try {
      const result = await operation().commit();
      if (result.ok) return { kind: "committed", versionstamp: result.versionstamp };
    } catch (cause) {
      failure = { cause };
    }
    let finding: KvFinding;
    try {
      finding = await untilUnlocked(look);
    } catch (cause) {
      return { kind: "failed", durability: "unknown", cause: failure?.cause ?? cause };
    }
    if (typeof finding === "object") return { kind: "committed", ...finding };
    if (finding === "taken" || failure === undefined) return { kind: "refused" };
    if (!isLocked(failure.cause)) {
      return { kind: "failed", durability: "unknown", cause: failure.cause };
    }
    if (tries === LOCKED_TRIES) {
      return { kind: "failed", durability: "none", cause: failure.cause };
    }
    await pause(tries);
  }
}

/** Reads, and reads again while the database is locked. */
export async function untilUnlocked<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!isLocked(error) || tries === LOCKED_TRIES) throw error;
    }
    await pause(tries);
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && error.message.includes("database is locked");
}

/** Waits longer the more tries there were, and never as long as another process that waits as well. */
function pause(tries: number): Promise<void> {
  const longest = Math.min(2 ** tries, LONGEST_PAUSE_MS);
  return new Promise((resolve) => void setTimeout(resolve, longest * (0.5 + Math.random())));
}
