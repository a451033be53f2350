/** What of Node's `process` the code of cells may use. All else is taken away, as it leads to any module of Node's. */
export const PROCESS_MEMBERS: readonly string[] = [
  ...["arch", "argv", "argv0", "chdir", "config", "cpuUsage", "cwd", "emitWarning", "env"],
  ...["execArgv", "execPath", "exit", "exitCode", "features", "hrtime", "kill", "_kill"],
  ...["memoryUsage", "nextTick", "noDeprecation", "pid", "platform", "ppid", "release"],
  ...["stderr", "stdin", "stdout", "title", "umask", "uptime", "version", "versions"],
];

/**
 * Closes the ways from a cell to what Deno's permissions do not hold: Deno's own internals, `node:wasi`, which makes
 * links out of a folder that may be read and written, whatever loads a module of Node's by its name, workers, where all
 * of it would be there anew, and graphics. (The import map keeps such modules from `import`.) What loads modules is also
 * made useless, in case that it can be reached. It runs in the worker before the first cell, from its own source text,
 * so it names only its argument and the platform.
 */
export function closeWaysOut(keptOfProcess: readonly string[]): void {
  type Class = (new () => unknown) & Record<string, unknown>;
  const { process } = globalThis as unknown as { readonly process: Record<PropertyKey, unknown> };
  const load = process.getBuiltinModule as (name: string) => Record<string, Class>;
  const remove = (target: object, isKept: (name: string) => boolean): void => {
    for (const name of Reflect.ownKeys(target)) {
      if (isKept(String(name)) || Reflect.deleteProperty(target, name)) continue;
      const value = Reflect.get(target, name);
      if (typeof value === "object" && value !== null) remove(value, () => false);
    }
  };
  const disarm = (made: Class): void => {
    remove(made.prototype as object, (name) => name === "constructor");
    remove(made, (name) => ["length", "name", "prototype"].includes(name));
    Object.setPrototypeOf(made, null); // the constructor of a derived class calls what stands here
    Object.freeze(made.prototype);
    Object.freeze(made);
  };
  const { Worker } = globalThis as unknown as Record<string, Class>;
  const modules = load("node:module");
  const made = [Worker, modules.Module, load("node:wasi").WASI, load("node:worker_threads").Worker];
  for (const one of made) if (one !== undefined) disarm(one);

  remove(process, (name) => keptOfProcess.includes(name) || name.startsWith("_event"));
  // graphics load the system's drivers, which no permission of Deno's knows of
  const gone = /^(?:Worker|postMessage|onmessage|onerror)$|^GPU|Canvas|ImageBitmap/;
  remove(globalThis, (name) => !gone.test(name));
  remove(Object.getPrototypeOf(navigator), (name) => name !== "gpu");
  remove(Deno, (name) => name !== "internal" && name !== "Symbol(Deno.internal)");
}
