import type { RunStore } from "../../ports/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { type KvDatabase, kvStore } from "../../stores/kv.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { errorInfo, type LeaseOptions, type RunCatalog } from "../../types/mod.ts";
import { type CommandOption, UsageError } from "../_command.ts";
import { refuseUnfitKv } from "./database_copy.ts";
import { openModuleStore } from "./module_store.ts";
import { soleDriver } from "./sole_driver.ts";

/** A store that a command line named. */
export interface OpenStore {
  /** The store. */
  readonly store: RunStore & RunCatalog;
  /** Its kind. */
  readonly kind: StoreKind;
  /** Its folder or file; of a module, its own. */
  readonly path: string;
  /** Lets go of it. */
  close(): void;
}

const STORE_KINDS = ["jsonl", "sqlite", "kv", "module"] as const;

type StoreKind = (typeof STORE_KINDS)[number];

/** How a store is named. */
export const STORE_FORMS = "jsonl:DIR, sqlite:FILE, kv:FILE or module:FILE";

/** The store that is meant where none is named. */
export const DEFAULT_STORE = "jsonl:.polyloop";

/** The option that chooses a store. */
export const STORE_OPTION: CommandOption = {
  value: "STORE",
  help: `${STORE_FORMS} (default: ${DEFAULT_STORE})`,
};

/**
 * The kind and the path in a text such as `jsonl:runs`.
 *
 * @throws {UsageError} If the text names no store.
 */
export function storeName(text: string): { readonly kind: StoreKind; readonly path: string } {
  const kind = STORE_KINDS.find((kind) => text.startsWith(`${kind}:`));
  const path = text.slice(text.indexOf(":") + 1);
  if (kind === undefined || path === "") {
    throw new UsageError(
      `Cannot use "${text}" as a store: it must be ${STORE_FORMS}`,
    );
  }
  return { kind, path };
}

/** Opens the store that a text such as `jsonl:runs` names; a file or folder that is not there may be made. */
export async function openStore(text: string): Promise<OpenStore> {
  return await open(text, {});
}

/** Opens a store as {@link openStore} does, for a process that drives a run in it. */
export async function openStoreToDrive(text: string): Promise<OpenStore> {
  const { kind, path } = storeName(text);
  if (kind === "jsonl" || kind === "module") return await openStore(text);
  if (kind === "kv") await refuseUnfitKv(path);
  const { close, ...lease } = soleDriver(path);
  try {
    const opened = await open(text, lease);
    return {
      ...opened,
      close() {
        opened.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function open(text: string, lease: LeaseOptions): Promise<OpenStore> {
  const { kind, path } = storeName(text);
  const close = () => {};
  switch (kind) {
    case "jsonl":
      return { store: jsonlStore({ dir: path }), kind, path, close };
    case "sqlite":
      return { store: sqliteStore({ path, ...lease }), kind, path, close };
    case "kv": {
      const kv = await openKv(path);
      return { store: kvStore({ kv, ...lease }), kind, path, close: () => kv.close() };
    }
    case "module":
      return { store: await openModuleStore(path), kind, path, close };
  }
}

async function openKv(path: string): Promise<KvDatabase & { close(): void }> {
  // Without --unstable-kv neither the function nor its type is there.
  const { openKv } = Deno as { openKv?: (path: string) => Promise<KvDatabase & { close(): void }> };
  if (openKv === undefined) {
    throw new Error(`Cannot open kv:${path} as this Deno has no KV: start it with --unstable-kv`);
  }
  return await openKv(path).catch((cause) => {
    throw new Error(`Cannot open kv:${path} as ${errorInfo(cause).message}`, { cause });
  });
}
