/**
 * Checks the types of every entry point by the options that Deno has where a project says none: whoever links a checkout
 * has its modules checked by options of his own.
 *
 * @module
 */
import { projectConfig } from "./project_config.ts";

const root = new URL("../../", import.meta.url);
const { exports } = await projectConfig(root);
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["check", "--quiet", "--no-config", "--no-lock", "--unstable-kv"],
    ...Object.values(exports),
  ],
  cwd: root,
}).spawn().status;
Deno.exit(code);
