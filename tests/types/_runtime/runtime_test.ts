import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { shellExecutor } from "../../../adapters/shell_executor.ts";
import { main } from "../../../cli/mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { kvStore } from "../../../stores/kv.ts";
import { InvalidRequestError, isDeno, runtimeName } from "../../../types/mod.ts";
import { onRuntime } from "./on_runtime.ts";

const LIMITS = { timeoutMs: 1, maxOutputChars: 1 };
const kv = {
  get: () => Promise.reject(new Error("no")),
  list: () => {
    throw new Error("no");
  },
  atomic: () => {
    throw new Error("no");
  },
};

/** What runs on Deno alone, by the name that its error tells, and how it is used. */
const DENO_ONLY: Readonly<Record<string, () => unknown>> = {
  codeSandbox: () => codeSandbox(LIMITS),
  shellExecutor: () => shellExecutor({ cwd: "/", env: {}, ...LIMITS }),
  jsonlStore: () => jsonlStore({ dir: "runs" }),
  kvStore: () => kvStore({ kv }),
};

for (const name of ["Node.js/22", "Bun/1.4.5", "Mozilla/5.0 (like Deno/2) jsdom/26"]) {
  for (const [what, use] of Object.entries(DENO_ONLY)) {
    Deno.test(`${what}() is refused by one typed error on ${name}`, async () => {
      await onRuntime(name, () => {
        assert(!isDeno());
        const { field, value, message } = assertThrows(use, InvalidRequestError);
        assertEquals([field, value], [what, name]);
        assertStringIncludes(message, "Deno alone");
      });
    });
  }

  Deno.test(`main() of the command line is refused by one typed error on ${name}`, async () => {
    await onRuntime(name, async () => {
      const { value, message } = await assertRejects(() => main(["--help"]), InvalidRequestError);
      assertEquals(value, name);
      assertStringIncludes(message, "npx deno");
    });
  });
}

/** What an older Deno cannot run, with the oldest that can. */
const SINCE: Readonly<Record<string, readonly [oldest: string, ...older: string[]]>> = {
  codeSandbox: ["2.9.5", "2.9.4", "2.7.14", "1.46.3"],
  jsonlStore: ["2.7.0", "2.6.8", "1.46.3"],
};

for (const [what, [oldest, ...older]] of Object.entries(SINCE)) {
  Deno.test(`${what}() is refused by one typed error on an older Deno than ${oldest}`, async () => {
    for (const version of older) {
      await onRuntime(`Deno/${version}`, () => {
        const { field, message } = assertThrows(DENO_ONLY[what]!, InvalidRequestError);
        assertEquals(field, what);
        assertStringIncludes(message, `or later: "Deno/${version}"`);
      });
    }
    for (const version of [oldest, "2.10.0", "3.0.0-rc.1+abc"]) {
      await onRuntime(`Deno/${version}`, () => assert(DENO_ONLY[what]!()));
    }
  });
}

Deno.test("isDeno() holds on no platform without a navigator", () => {
  const kept = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  assert(kept && Reflect.deleteProperty(globalThis, "navigator"));
  try {
    assertEquals([isDeno(), runtimeName()], [false, "unknown"]);
  } finally {
    Object.defineProperty(globalThis, "navigator", kept);
  }
});

Deno.test("runtimeName() is Deno's here, and nothing is refused", () => {
  assert(isDeno());
  assertEquals(runtimeName(), `Deno/${Deno.version.deno}`);
});
