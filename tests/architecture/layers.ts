/**
 * The rules of the house as data. Two enforce them: the lint plugin, for the editor and `deno lint`, and the layers
 * test, which no comment in a file can silence. A folder, a file at the top or an edge that is not here is an error.
 *
 * @module
 */

/** What holds for one folder of the tree. */
export interface Folder {
  /** Imports point to a lower layer, never up. */
  readonly layer: 1 | 2 | 3 | 4 | 5;
  /** The folders that it may import beside itself. */
  readonly reaches: readonly string[];
  /** Whether it is in the package: no import of anyone else's code then, each specifier relative with its extension. */
  readonly published: boolean;
  /** Its key in `exports`; `each` is one key for every file. Absent: it is private. */
  readonly entry?: string | "each";
  /** The file that is published under the key. Absent: `mod.ts`, so that all that others may take is public. */
  readonly entryFile?: string;
  /** The globals that it must not name. */
  readonly forbids: readonly string[];
  /** Whether it is pure: no promise, no clock, no chance, no locale, no state of the module's own. */
  readonly pure?: true;
  /** Which file may import which of Node's modules. Absent: none. */
  readonly node?: Readonly<Record<string, readonly string[]>>;
  /** The files, or the beginnings of their paths, that alone may name `Deno`: the rest runs elsewhere, too. Absent: all. */
  readonly deno?: readonly string[];
}

/** No published file writes to the console by itself. */
const CONSOLE = ["console"];
const PLATFORM = [
  ...["Deno", "Buffer", "process", "global", "globalThis", "self"],
  ...["Worker", "eval", "Function"],
  ...CONSOLE,
];
const INPUT_OUTPUT = ["fetch", "WebSocket", "EventSource", "localStorage"];
const TIMERS = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"];
const CHANCE_AND_PLACE = ["Date", "performance", "crypto", "Intl", "Temporal", "navigator"];

const VALUES = [...PLATFORM, ...INPUT_OUTPUT];
const PURE = [...VALUES, ...TIMERS, ...CHANCE_AND_PLACE, "Promise"];

const PUBLIC_LOGIC = ["logic/tools", "logic/serialization", "logic/context"];
const PRIVATE_LOGIC = ["logic/_assembly", "logic/_stopping", "logic/_recovery"];
const BELOW_CALLERS = ["types", "ports", ...PUBLIC_LOGIC, "session", "stores", "adapters"];

/** Public and private logic: siblings that never import each other. */
export const LOGIC: readonly string[] = [...PUBLIC_LOGIC, ...PRIVATE_LOGIC];

const logic = (entry: string): Folder => ({
  layer: 3,
  reaches: ["types", "ports"],
  published: true,
  entry,
  forbids: PLATFORM,
});

const pureLogic: Folder = {
  layer: 3,
  reaches: ["types", "ports"],
  published: true,
  forbids: PURE,
  pure: true,
};

/** Every folder that may be there, and what holds for it; `.` is `mod.ts` at the top. */
export const FOLDERS: Readonly<Record<string, Folder>> = {
  ".": {
    layer: 5,
    reaches: ["types", "ports", "logic/tools", "session"],
    published: true,
    entry: ".",
    forbids: PLATFORM,
  },
  types: {
    layer: 1,
    reaches: [],
    published: true,
    entry: "./types",
    entryFile: "entry.ts",
    forbids: VALUES,
    node: { "types/digest.ts": ["node:crypto"] },
  },
  ports: { layer: 2, reaches: ["types"], published: true, entry: "./ports", forbids: VALUES },
  "logic/tools": logic("./tools"),
  "logic/serialization": logic("./serialization"),
  "logic/context": logic("./context"),
  "logic/_assembly": pureLogic,
  "logic/_stopping": pureLogic,
  "logic/_recovery": pureLogic,
  session: {
    layer: 4,
    reaches: ["types", "ports", ...LOGIC],
    published: true,
    entry: "./session",
    forbids: PLATFORM,
  },
  stores: {
    layer: 4,
    reaches: ["types", "ports"],
    published: true,
    entry: "each",
    forbids: CONSOLE,
    node: {
      "stores/sqlite.ts": ["node:sqlite"],
      "stores/_lease/leases.ts": ["node:timers"],
      "stores/_sqlite/database.ts": ["node:fs"],
      "stores/_sqlite/file_header.ts": ["node:fs"],
    },
    deno: ["stores/jsonl.ts", "stores/_jsonl/", "stores/_kv/", "stores/_sqlite/"],
  },
  adapters: {
    layer: 4,
    reaches: ["types", "ports", "logic/tools"],
    published: true,
    entry: "each",
    forbids: CONSOLE,
    node: {
      "adapters/_sandbox/import_map.ts": ["node:module"],
      "adapters/_terminal/standard_error.ts": ["node:fs", "node:process"],
      "adapters/jsonl_events.ts": ["node:fs"],
    },
    deno: [
      "adapters/code_sandbox.ts",
      "adapters/shell_executor.ts",
      "adapters/_otel/own_tracer.ts",
      "adapters/_sandbox/",
      "adapters/_process/",
      "adapters/_mcp/transports/server_process.ts",
      "adapters/_terminal/standard_error.ts",
      "adapters/_wire/single_use_client.ts",
    ],
  },
  cli: {
    layer: 5,
    reaches: BELOW_CALLERS,
    published: true,
    entry: "./cli",
    forbids: CONSOLE,
    node: { "cli/_store/database_copy.ts": ["node:sqlite"] },
  },
  "tests/contract": {
    layer: 5,
    reaches: BELOW_CALLERS,
    published: true,
    entry: "./contract",
    forbids: CONSOLE,
  },
  examples: { layer: 5, reaches: [], published: false, forbids: [] },
  tests: {
    layer: 5,
    reaches: [".", ...BELOW_CALLERS, ...PRIVATE_LOGIC, "cli", "tests/contract", "examples"],
    published: false,
    forbids: [],
  },
};

/** The folders that never import each other. */
export const STRANGERS: readonly (readonly string[])[] = [LOGIC, ["session", "stores", "adapters"]];

/** What stands at the top beside the folders; dot-files may, too. */
export const TOP_FILES: readonly string[] = [
  "deno.json",
  "mod.ts",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "SECURITY.md",
];

/** The folder of the guides, which holds Markdown and no code. */
export const GUIDES = "docs/";

/** Names that say nothing: no file or folder has one. */
export const EMPTY_NAMES: readonly string[] = [
  "helpers",
  "helper",
  "common",
  "shared",
  "misc",
  "utils",
  "util",
  "index",
];

/** Members that no pure module may name, whatever they are taken from. */
export const IMPURE_MEMBERS: readonly string[] = [
  "random",
  "localeCompare",
  "toLocaleString",
  "toLocaleLowerCase",
  "toLocaleUpperCase",
  "toLocaleDateString",
  "toLocaleTimeString",
];

/** The globals that a declaration at the top of a published file may call or construct. */
export const HARMLESS_GLOBALS: readonly string[] = [
  "Object",
  "Array",
  "Set",
  "Map",
  "WeakMap",
  "WeakSet",
  "RegExp",
  "Symbol",
  "String",
  "Number",
  "BigInt",
  "Math",
  "JSON",
  "TextEncoder",
  "TextDecoder",
  "Uint8Array",
];

/** What Deno has and Node 22 does not, as far as anybody may want it. */
export const NOT_IN_NODE_22: readonly string[] = [
  "Promise.try",
  "RegExp.escape",
  "Error.isError",
  "Math.sumPrecise",
  "Iterator.concat",
  "Uint8Array.fromBase64",
  "Uint8Array.fromHex",
];

/** The five ports; a sixth needs two real, differently shaped implementations and a change here. */
export const PORTS: readonly string[] = [
  "ActionExecutor",
  "DecisionInterpreter",
  "EventSink",
  "ModelPort",
  "RunStore",
];

/**
 * The methods of ports of which `session` has one single call: nothing is retried or done twice behind a back. The
 * pattern tells what stands before the dot, where another thing in `session` has a method of that name.
 */
export const CALLED_IN_ONE_PLACE: Readonly<Record<string, RegExp>> = {
  call: /^(?!visitor$)/,
  interpret: /./,
  execute: /./,
  emit: /^(?!(?:live\.)?events$)/,
  readRun: /./,
  startRun: /./,
  writeIntent: /./,
  writeOutcome: /./,
  finishRun: /./,
  claimRun: /./,
  breakLease: /./,
  releaseRun: /./,
};

/** What asks a model or a server, by the name of the function or the method, in adapters. */
export const ASKING: readonly string[] = [
  "call",
  "make",
  "send",
  "request",
  "askModern",
  "openStream",
];

/** The files of adapters that ask in a loop, each with the reason. Whatever else asks does so once. */
export const ASKS_AGAIN: Readonly<Record<string, string>> = {
  "adapters/retrying_model.ts": "the attempts that its caller asks for, each on record",
  "adapters/fallback_model.ts": "one call of each model in turn, each on record",
  "adapters/_mcp/tools/list_tools.ts": "the pages of a list",
  "adapters/_mcp/eras/modern_wire.ts": "a call that needs input, which the server ended with that",
  "adapters/_mcp/transports/legacy_http_link.ts":
    "an event stream that goes on after its last event",
};

/** What the tests may import beside the project itself and what Node has built in. */
export const TEST_IMPORTS: readonly string[] = ["@std/assert", "@std/fs", "@std/jsonc"];

/** The folder of the data that tests read: it is not ours to name or to order. */
export const TEST_DATA = "tests/testdata/";

/** The one folder whose files may import from npm: the standard library where JSR is out of reach. */
export const CLOSED_NETWORK = {
  folder: "tests/closed_network/",
  package: "npm:deno-std@",
} as const;

/** The files that may import a module whose name is only known at run time: the user's own. */
export const LOADERS: readonly string[] = ["cli/_load_module.ts"];

/** The files that are programs as well as modules: they may end in `if (import.meta.main)`. */
export const PROGRAMS: readonly string[] = ["cli/mod.ts", "cli/_demo/driver.ts"];
