import { assert, assertEquals } from "@std/assert";
import { builtinModules } from "node:module";
import { NODE_MODULES, sandboxImportMap } from "../../../adapters/_sandbox/import_map.ts";
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { LIMITS, observe } from "../sandbox_cells.ts";

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

Deno.test("codeSandbox() lets code import what the list names, and tells what is not there", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const names = JSON.stringify([...NODE_MODULES, "process"]);
  const loaded = `const names = ${names}, sizes = [];
    for (const name of names) sizes.push(Object.keys(await import("node:" + name)).length);
    sizes.every((size) => size > 0) && sizes.length`;
  assertEquals(await observe(sandbox, loaded), String(NODE_MODULES.length + 1));
  assertEquals(
    (await observe(sandbox, `await import("node:vm")`)).split("\n")[0],
    "Error: The sandbox does not have this module of Node's",
  );
});
