import type { RunStore } from "../../ports/mod.ts";
import type { RunCatalog } from "../../types/mod.ts";
import { loadModule, thrownWords } from "../_load_module.ts";

/** A store that a module gives. */
type ModuleStore = RunStore & RunCatalog & {
  /** Lets go of what was opened for it. */
  close?(): void | Promise<void>;
};

const METHODS: readonly (keyof RunStore | keyof RunCatalog)[] = [
  "startRun",
  "writeIntent",
  "writeOutcome",
  "finishRun",
  "readRun",
  "releaseRun",
  "listRuns",
  "readLines",
  "readRuns",
  "deleteRun",
];

/** A module may export one store for the whole process, so that it is opened and closed once. */
const opened = new Map<string, Promise<ModuleStore>>();

/**
 * The store that the default export of the module at a path is, or gives as a function.
 *
 * @throws {Error} Naming the path, if it cannot be loaded, throws, or gives no store.
 */
export function openModuleStore(path: string): Promise<RunStore & RunCatalog> {
  const known = opened.get(path);
  if (known !== undefined) return known;
  const store = given(path);
  opened.set(path, store);
  return store;
}

/** Closes each store that was opened and can be closed. */
export async function closeModuleStores(): Promise<void> {
  const stores = await Promise.allSettled(opened.values());
  opened.clear();
  for (const store of stores) if (store.status === "fulfilled") await store.value.close?.();
}

async function given(path: string): Promise<ModuleStore> {
  const { url, exports } = await loadModule(path);
  const { default: exported }: { readonly default?: unknown } = exports;
  const store = typeof exported === "function" ? await called(path, url, exported) : exported;
  if (isStore(store)) return store;
  const lacking = METHODS.filter((name) => !hasMethod(store, name));
  const what = lacking.length === METHODS.length
    ? "its default export is no store"
    : `the store of its default export has no ${lacking.join(", ")}`;
  throw new Error(
    `Cannot use "${path}" as a store as ${what}: export as default a store that can list its runs, or a function that gives one`,
  );
}

async function called(path: string, url: string, make: CallableFunction): Promise<unknown> {
  try {
    return await make();
  } catch (cause) {
    throw new Error(`Cannot open the store of "${path}" as ${thrownWords(cause, url)}`, { cause });
  }
}

function isStore(value: unknown): value is ModuleStore {
  return METHODS.every((name) => hasMethod(value, name));
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof Object(value)[name] === "function";
}
