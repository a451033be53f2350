/**
 * Fails where the documentation of an entry point lacks something. It is a program of its own, as it needs the standard
 * library to read `deno.json`, and `run_task.ts` runs before it is known where that is.
 *
 * @module
 */
import { projectConfig } from "./project_config.ts";

const root = new URL("../../", import.meta.url);
const { exports } = await projectConfig(root);
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", ...Object.values(exports)],
  cwd: root,
}).spawn().status;
Deno.exit(code);
