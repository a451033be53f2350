import { assert, assertArrayIncludes, assertEquals, assertFalse } from "@std/assert";
import { answers } from "./standard_library.ts";

const ROOT = new URL("../../", import.meta.url);

/** The one package that the test below imports, as a registry has it. */
const MODULE = `export function assertEquals(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error("not equal");
}
`;

async function registryFiles(): Promise<ReadonlyMap<string, string>> {
  const bytes = new TextEncoder().encode(MODULE);
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return new Map([
    ["/@std/assert/meta.json", JSON.stringify({ versions: { "1.99.0": {} } })],
    [
      "/@std/assert/1.99.0_meta.json",
      JSON.stringify({
        manifest: { "/mod.ts": { size: bytes.length, checksum: `sha256-${sum}` } },
        exports: { ".": "./mod.ts" },
      }),
    ],
    ["/@std/assert/1.99.0/mod.ts", MODULE],
  ]);
}

/** Runs the test task on one small test, with a registry at an address. */
async function runTestTask(
  registry: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ success: boolean; output: string }> {
  const directory = await Deno.makeTempDir();
  const test = `${directory}/small_test.ts`;
  await Deno.writeTextFile(
    test,
    `import { assertEquals } from "@std/assert";\nDeno.test("small", () => assertEquals(1, 1));\n`,
  );
  try {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "tests/tasks/run_task.ts", "test", "--no-check", test],
      cwd: ROOT,
      env: { JSR_URL: registry, NO_COLOR: "1", ...env },
    }).output();
    const decoder = new TextDecoder();
    return { success, output: `${decoder.decode(stdout)}\n${decoder.decode(stderr)}` };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function serve(
  handler: (path: string) => Response | Promise<Response>,
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => handler(new URL(request.url).pathname),
  );
}

Deno.test("deno task test takes @std from JSR where it answers", async () => {
  const files = await registryFiles();
  const asked: string[] = [];
  await using server = serve((path) => {
    asked.push(path);
    const file = files.get(path);
    return file === undefined ? new Response(null, { status: 404 }) : new Response(file);
  });
  const cache = await Deno.makeTempDir();
  const registry = `http://127.0.0.1:${server.addr.port}/`;
  const { success, output } = await runTestTask(registry, { DENO_DIR: cache });
  await Deno.remove(cache, { recursive: true });
  assert(success, output);
  assertArrayIncludes(asked, [...files.keys()]);
  assertFalse(output.includes("JSR does not answer"));
});

Deno.test("deno task test takes @std from npm where JSR does not answer, and says so once", async () => {
  await using server = serve(() => new Response(null, { status: 503 }));
  const { success, output } = await runTestTask(`http://127.0.0.1:${server.addr.port}/`);
  assert(success, output);
  assertEquals(output.split("JSR does not answer").length, 2);
});

Deno.test("answers() does not wait for a server that says nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  await using server = serve(() => promise);
  const address = new URL(`http://127.0.0.1:${server.addr.port}/`);
  assertFalse(await answers(address, 20));
  resolve(new Response());
});

Deno.test("answers() takes a closed port for silence", async () => {
  const server = serve(() => new Response());
  const address = new URL(`http://127.0.0.1:${server.addr.port}/`);
  assert(await answers(address, 2_000));
  await server.shutdown();
  assertFalse(await answers(address, 2_000));
});
