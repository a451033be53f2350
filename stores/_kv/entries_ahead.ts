import type { KvDatabase, KvStoreKey } from "./database.ts";
import { entriesFrom, STRONG } from "./keys.ts";

/** An entry of some run, as the database gives it. */
interface ListedEntry {
  readonly key: KvStoreKey;
  readonly value: unknown;
}

/** The entries of all runs in the order of their keys: one can be looked at before it is taken. */
export class EntriesAhead {
  readonly #kv: KvDatabase;
  #entries: AsyncIterator<ListedEntry> | undefined;
  #next: ListedEntry | undefined;

  constructor(kv: KvDatabase) {
    this.#kv = kv;
  }

  /** The next entry, if it is the run's. */
  nextOf(runId: string): ListedEntry | undefined {
    return this.#next?.key[3] === runId ? this.#next : undefined;
  }

  /** Goes to the first entry of a run, unless the next one is the run's already. */
  async seek(runId: string): Promise<void> {
    if (this.nextOf(runId) !== undefined) return;
    this.#entries = this.#kv.list(entriesFrom(runId), STRONG)[Symbol.asyncIterator]();
    await this.advance();
  }

  /** Goes on to the entry after the next one. */
  async advance(): Promise<void> {
    this.#next = undefined;
    const result = await this.#entries?.next();
    if (result?.done === false) this.#next = result.value;
  }
}
