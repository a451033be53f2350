import { builtinModules } from "node:module";
import { PROCESS_MEMBERS } from "./ways_out.ts";

/** The modules of Node's that the code of cells may import, beside `node:process`. */
export const NODE_MODULES: readonly string[] = [
  ...["assert", "assert/strict", "buffer", "constants", "crypto", "events", "fs", "fs/promises"],
  ...[
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "punycode",
    "querystring",
    "readline",
  ],
  ...["readline/promises", "stream", "stream/consumers", "stream/promises", "stream/web"],
  ...["string_decoder", "timers", "timers/promises", "url", "util", "util/types", "zlib"],
  ...["dgram", "dns", "dns/promises", "http", "http2", "https", "net", "tls"],
];

/**
 * The import map of the sandbox, as the URL of its JSON. Of Node's modules it leaves those of the list alone; any other
 * that this Deno has, be it a new one, is a module that throws. With that, CommonJS is gone, as Deno begins each such
 * file with an import of `node:module`. (A `null` in a map refuses an import, but not that one.)
 */
export function sandboxImportMap(): string {
  const kept = PROCESS_MEMBERS.filter((name) => name !== "stdin").join(", ");
  const refusal = moduleUrl(`throw new Error("The sandbox does not have this module of Node's")`);
  const imports: Record<string, string> = {};
  for (const listed of builtinModules) {
    const name = listed.replace(/^node:/, "");
    if (!NODE_MODULES.includes(name)) imports[`node:${name}`] = refusal;
  }
  imports["node:process"] = moduleUrl(
    `const { process } = globalThis; export default process; export const { ${kept} } = process;`,
  );
  return `data:application/json,${encodeURIComponent(JSON.stringify({ imports }))}`;
}

function moduleUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
