import { assert, assertEquals } from "@std/assert";
import { builtinModules } from "node:module";
import { NODE_MODULES, sandboxImportMap } from "../../../adapters/_sandbox/import_map.ts";

/** Modules by which code could load any other, or get round Deno's permissions. */
const DANGEROUS = [
  ...["wasi", "module", "worker_threads", "child_process", "cluster", "vm", "repl", "inspector"],
  ...["v8", "async_hooks", "trace_events", "test", "sqlite", "diagnostics_channel", "process"],
];

Deno.test("sandboxImportMap() maps every module of Node's that is not let through", () => {
  const [, json = ""] = sandboxImportMap().split(",");
  const mapped = Object.keys(JSON.parse(decodeURIComponent(json)).imports);
  for (const name of builtinModules.map((listed) => listed.replace(/^node:/, ""))) {
    assertEquals(mapped.includes(`node:${name}`), !NODE_MODULES.includes(name), name);
  }
  for (const name of DANGEROUS) assert(mapped.includes(`node:${name}`), name);
});
