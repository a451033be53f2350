/**
 * The command line: `deno run -A jsr:@polyloop/polyloop/cli --help`. Beside the demo it makes and resumes the runs that
 * modules describe ({@link RunModule}), and lists, shows, verifies and exports what stores hold. A caller like any
 * other: the only place of the package that puts stores and adapters together.
 *
 * The commands that read change nothing of what they read. They need `--allow-read` for the store; for `sqlite:` and
 * `kv:` they copy the database to the folder for temporary files, which they need both permissions for (and `kv:`
 * `--unstable-kv`). `run`, `resume` and the store of a module (`--store module:FILE`: its default export is a store or a
 * function that gives one) need what their modules need.
 *
 * @example
 * ```ts
 * import { main } from "@polyloop/polyloop/cli";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(await main(["--help"]), 0); // the exit code
 * ```
 *
 * @module
 */
import { main, mainOfProcess } from "./main.ts";

export { main };
export type { RunModule } from "./run_module.ts";

if (import.meta.main) mainOfProcess();
