import { projectConfig } from "../tasks/project_config.ts";

const ROOT = new URL("../../", import.meta.url);

/** A function of which nothing is known. */
export type AnyFunction = (...args: readonly never[]) => unknown;

/** Every function that an entry point exports, by its name; classes are none. */
export async function publicFunctions(): Promise<ReadonlyMap<string, AnyFunction>> {
  const found = new Map<string, AnyFunction>();
  const { exports } = await projectConfig(ROOT);
  for (const path of Object.values(exports)) {
    const entry: Readonly<Record<string, unknown>> = await import(new URL(path, ROOT).href);
    for (const [name, value] of Object.entries(entry)) {
      if (typeof value === "function" && !/^class\b/.test(String(value))) {
        found.set(name, value as AnyFunction);
      }
    }
  }
  return found;
}
