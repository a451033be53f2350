/** A key, as `Deno.KvKey`. */
export type KvStoreKey = readonly (Uint8Array | string | number | bigint | boolean | symbol)[];

/** The part of `Deno.AtomicOperation` that the store uses. */
export interface KvAtomicOperation {
  /** Makes the commit depend on a key's version; `null`: on its absence. */
  check(...checks: { key: KvStoreKey; versionstamp: string | null }[]): KvAtomicOperation;
  /** Sets a key. */
  set(key: KvStoreKey, value: unknown): KvAtomicOperation;
  /** Removes a key. */
  delete(key: KvStoreKey): KvAtomicOperation;
  /** Does all of it or, if a check fails, nothing. */
  commit(): Promise<
    { readonly ok: true; readonly versionstamp: string } | { readonly ok: false }
  >;
}

/** The part of `Deno.Kv` that the store uses: an opened `Deno.Kv` is one, and no unstable type is needed to say so. */
export interface KvDatabase {
  /** Reads a key. */
  get(
    key: KvStoreKey,
    options: { consistency: "strong" },
  ): Promise<{ readonly value: unknown; readonly versionstamp: string | null }>;
  /** Reads the keys below a prefix in order. */
  list(
    selector: { prefix: KvStoreKey },
    options: { consistency: "strong"; limit?: number; reverse?: boolean },
  ): AsyncIterable<{ readonly key: KvStoreKey; readonly value: unknown }>;
  /** Begins an operation. */
  atomic(): KvAtomicOperation;
}
