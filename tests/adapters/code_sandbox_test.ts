import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  CODE_SANDBOX_TEXTS,
  type CodeSandbox,
  codeSandbox,
  type CodeSandboxOptions,
} from "../../adapters/code_sandbox.ts";
import type { ActionOutcome } from "../../ports/mod.ts";
import { EnvironmentError, InvalidRequestError, type JsonValue } from "../../types/mod.ts";

const LIMITS = { timeoutMs: 20_000, maxOutputChars: 2_000 };
const never = new AbortController().signal;

function execute(
  sandbox: CodeSandbox,
  code: string,
  language = "js",
  signal = never,
): Promise<ActionOutcome> {
  return sandbox.execute({ action: { language, code }, actionId: "r/s0_a0", attempt: 1, signal });
}

async function observe(sandbox: CodeSandbox, code: string, language?: string): Promise<string> {
  const { status, observation } = await execute(sandbox, code, language);
  assertEquals(status, "executed", observation);
  return observation;
}

/** A server that sees when the process of a sandbox is there, and when it is gone. */
function witness() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`;
  return {
    permissions: { net: [host] },
    connect:
      `const witness = await Deno.connect({ hostname: "127.0.0.1", port: ${listener.addr.port} });`,
    async connected() {
      const connection = await listener.accept();
      listener.close();
      return {
        /** Sends a byte. */
        poke: () => connection.write(new Uint8Array(1)),
        /** Resolves when nobody holds the other end. */
        async gone() {
          const end = await connection.read(new Uint8Array(1)).catch(() => null);
          connection.close();
          assertEquals(end, null);
        },
      };
    },
  };
}

Deno.test("codeSandbox() keeps state from one action to the next", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const cells: [code: string, observation: string, language?: string][] = [
    ["const a: number = 1; let b = 2; var c = 3; class D { e = 4 }", "(no output)", "ts"],
    ["a + b + c + new D().e", "10"],
    ["b = 5; function inc() { return ++b }; inc()", "6"],
    ["b", "6"],
    [
      "import { join as j } from 'node:path'; const { x, y: [z] } = { x: 1, y: [2] };",
      "(no output)",
    ],
    ["[j('k', 'l'), x, z]", '[ "k/l", 1, 2 ]', "typescript"],
    ["let a = await Promise.resolve('again'); a", '"again"', "javascript"],
    ["enum Color { Red = 7 }", "(no output)", "ts"],
    ["Color.Red", "7"],
    ["console.log('one'); console.error('two'); console.warn('three'); 4", "one\ntwo\nthree\n4"],
    ["null", "null"],
    ["'🌊 $&'", '"🌊 $&"'],
  ];
  for (const [code, observation, language] of cells) {
    assertEquals(await observe(sandbox, code, language), observation, code);
  }
});

Deno.test("codeSandbox() shows code of earlier actions what is declared again", async () => {
  await using sandbox = codeSandbox(LIMITS);
  await observe(sandbox, "function main() { return part() } function part() { return 'old' }");
  assertEquals(await observe(sandbox, "function part() { return 'new' }; main()"), '"new"');
  await observe(sandbox, "let part = () => 'newer'");
  assertEquals(await observe(sandbox, "main()"), '"newer"');
});

Deno.test("codeSandbox() says where code failed, and keeps what was declared before", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const failures: [code: string, observation: string, language?: string][] = [
    [
      "const kept = 1;\nkept.f();\nconst lost = 2",
      "TypeError: kept.f is not a function\n    at kept.f();",
    ],
    ["\n\nlet a: number = kept\na.g()", "TypeError: a.g is not a function\n    at a.g();", "ts"],
    ["kept = 2", "TypeError: Assignment to constant variable.\n    at kept = 2"],
    ["lost", "ReferenceError: lost is not defined\n    at lost"],
    ["const b = ;", "SyntaxError: Unexpected token ';'"],
    ["throw { code: 1 }", "Thrown: { code: 1 }"],
    ["throw undefined", "Thrown: undefined"],
    [
      "class E extends Error { get name() { throw 1 } }; throw new E()",
      "Thrown: something that cannot be shown",
    ],
    [
      "console.log('before'); throw new RangeError('x')",
      "before\nRangeError: x\n    at console.log('before'); throw new RangeError('x')",
    ],
  ];
  for (const [code, observation, language] of failures) {
    const outcome = await execute(sandbox, code, language);
    assertEquals([outcome.status, outcome.failed], ["executed", true], code);
    assertEquals(outcome.observation, observation, code);
  }
  assertEquals(await observe(sandbox, "kept"), "1");
});

Deno.test("codeSandbox() tells errors that nobody handled", async () => {
  await using sandbox = codeSandbox(LIMITS);
  assertEquals(await observe(sandbox, "Promise.reject(new Error('a')); 1"), "1\nError: a");
  const thrown =
    "await new Promise((done) => { setTimeout(done, 1); setTimeout(() => { throw new Error('b') }) })";
  assertEquals(await observe(sandbox, thrown), "Error: b");
  assertEquals(await observe(sandbox, "1"), "1");
});

Deno.test("codeSandbox() shows any value", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const values: [code: string, shown: string][] = [
    ["const a = {}; a.a = a; a", "<ref *1> { a: [Circular *1] }"],
    ["12345678901234567890n", "12345678901234567890n"],
    ["new Map([[1, { b: new Date(0) }]])", "Map(1) { 1 => { b: 1970-01-01T00:00:00.000Z } }"],
    ["undefined", "(no output)"],
    ["[-0, NaN]", "[ -0, NaN ]"],
    ["Symbol('s')", "Symbol(s)"],
  ];
  for (const [code, shown] of values) assertEquals(await observe(sandbox, code), shown);
  const hostile = await execute(
    sandbox,
    "({ [Symbol.for('Deno.customInspect')]() { throw Error('no') } })",
  );
  assertEquals([hostile.failed, hostile.observation.split("\n")[0]], [true, "Error: no"]);
});

Deno.test("codeSandbox() may touch nothing", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const file = new URL(import.meta.url).pathname;
  const attempts: [code: string, refusal: string][] = [
    ["Deno.env.get('HOME')", "env access"],
    ["(await import('node:process')).env.PATH", "env access"],
    [`Deno.readTextFileSync(${JSON.stringify(file)})`, "read access"],
    [`(await import('node:fs')).readFileSync(${JSON.stringify(file)})`, "read access"],
    [`await import("file://${file}")`, "read access"],
    [`await import("data:text/javascript,import 'file://${file}'")`, "read access"],
    [`import data from "file:///etc/hostname.json" with { type: "json" }`, "read access"],
    [
      `const w = new Worker("file://${file}", { type: "module" }); await new Promise((_, no) => w.onerror = (e) => { e.preventDefault(); no(e) })`,
      "read access",
    ],
    ["Deno.readDirSync('/')", "read access"],
    ["Deno.writeTextFileSync('/tmp/x', '')", "write access"],
    ["Deno.makeTempFileSync()", "write access"],
    ["await Deno.connect({ port: 80 })", "net access"],
    ["await fetch('http://127.0.0.1')", "net access"],
    ["Deno.listen({ port: 0 })", "net access"],
    ["await Deno.resolveDns('example.com', 'A')", "net access"],
    ["new Deno.Command('/bin/true').outputSync()", "run access"],
    ["Deno.kill(Deno.ppid, 'SIGKILL')", "run access"],
    ["(await import('node:process')).kill(Deno.ppid, 'SIGKILL')", "run access"],
    ["Deno.dlopen('/lib/x.so', {})", "ffi access"],
    ["Deno.hostname()", "sys access"],
    ["(await import('node:inspector')).open(0)", "sys access"],
    ["await import('https://deno.land/std/version.ts')", "--no-remote"],
    ["import 'http://127.0.0.1/x.js'", "--no-remote"],
    ["await import('jsr:@std/assert')", "--no-remote"],
    ["await import('npm:chalk')", "--no-npm"],
    [
      "await Deno.permissions.request({ name: 'env' }).then((s) => { throw new Error(s.state) })",
      "denied",
    ],
  ];
  for (const [code, refusal] of attempts) {
    const { failed, observation } = await execute(sandbox, code);
    assert(failed, code);
    assertStringIncludes(observation, refusal, code);
  }
  assertEquals(await observe(sandbox, "[Deno.cwd(), Deno.args]"), '[ "/", [] ]');
});

Deno.test("codeSandbox() may touch what is named, and nothing beside it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/a.ts`, "export const a: number = 1;");
    await Deno.mkdir(`${folder}/out`);
    const permissions = { read: [folder], write: [`${folder}/out`] };
    await using sandbox = codeSandbox({ ...LIMITS, permissions });
    assertEquals(await observe(sandbox, `import { a } from "file://${folder}/a.ts"; a`), "1");
    await observe(sandbox, `Deno.writeTextFileSync("${folder}/out/b", "c")`);
    assertEquals(await Deno.readTextFile(`${folder}/out/b`), "c");
    for (const path of [`${folder}/d`, `${folder}/out/../d`]) {
      const outcome = await execute(sandbox, `Deno.writeTextFileSync("${path}", "")`);
      assertStringIncludes(outcome.observation, "write access");
    }
    assertStringIncludes(await observe(sandbox, `Deno.readDirSync("${folder}/..")`), "read access");
    for (
      const link of [`Deno.symlinkSync("/", x)`, `(await import("node:fs")).symlinkSync("/", x)`]
    ) {
      const code = `var x = "${folder}/out/link"; ${link}`;
      assertStringIncludes(await observe(sandbox, code), "NotCapable");
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("codeSandbox() has a protocol that code can neither forge nor disturb", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const forged = `${crypto.randomUUID()}${crypto.randomUUID()}s`;
  const said = JSON.stringify(forged);
  const disturbances: [code: string, observation: string][] = [
    [`Deno.stdout.writeSync(new TextEncoder().encode(${said})); 1`, `${forged}1`],
    [`(await import("node:fs")).writeSync(1, ${said}); 2`, `${forged}2`],
    [`Deno.stderr.writeSync(new TextEncoder().encode(${said})); 3`, `3\n[stderr]\n${forged}`],
    ["for (const s of 'rsfxm') { postMessage(s); self.postMessage({ data: s }) }\n4", "4"],
    ["self.onmessage = () => console.log('heard'); 5", "5"],
    ["new BroadcastChannel('x').postMessage('s'); 6", "6"],
    ["await Deno.stdin.read(new Uint8Array(9))", "null"],
    ["Deno.stdin.readSync(new Uint8Array(9))", "null"],
    ["const seen = []; for await (const piece of process.stdin) seen.push(piece); seen", "[]"],
    ["(await import('node:process')).default.stdin === process.stdin", "true"],
    [
      "var ports = [], { dispatchEvent } = EventTarget.prototype; " +
      "EventTarget.prototype.dispatchEvent = function (event) { ports.push(this); return dispatchEvent.call(this, event) }; 12",
      "12",
    ],
    ["for (const port of [...ports]) { port.postMessage('f'); port.postMessage('x') }\n13", "13"],
    ["console.log = () => {}; Deno.inspect = () => 'x'; setTimeout = null; 8", "8"],
    ["Object.entries = () => []; MessagePort.prototype.postMessage = () => {}; 9", "9"],
    ["var Array, Map, JSON, Set, String, RegExp, Promise, Error, Object, setTimeout; 7", "7"],
    ["Deno.stdout.writeSync(new Uint8Array([255, 0, 240, 159, 140])); 10", "\ufffd\0\ufffd10"],
    [
      "const q = new Uint8Array(1e5).fill(48); for (let i = 0; i < 3; i++) Deno.stdout.writeSync(q.subarray(0, 5)); 11",
      "00000000000000011",
    ],
  ];
  for (const [code, observation] of disturbances) {
    assertEquals(await observe(sandbox, code), observation, code);
  }
});

Deno.test("codeSandbox() reads output as UTF-8, whatever pieces it comes in", async () => {
  await using sandbox = codeSandbox({ ...LIMITS, maxOutputChars: 5 });
  const bytes = [...new TextEncoder().encode("水🌊é")].join();
  const code =
    `for (const b of [${bytes}]) { Deno.stdout.writeSync(new Uint8Array([b])); await new Promise((r) => setTimeout(r)) }`;
  assertEquals(await observe(sandbox, code), "水🌊é");
});

Deno.test("codeSandbox() bounds output in code points, and says by how many", async () => {
  await using sandbox = codeSandbox({ ...LIMITS, maxOutputChars: 3 });
  const outcome = await execute(
    sandbox,
    "console.log('🌊'.repeat(10)); console.log('x'.repeat(5e6))",
  );
  assertEquals(outcome.truncatedChars, 5_000_009);
  assertEquals(outcome.observation, "🌊🌊🌊\n[5000009 more characters were cut off]");
  const fits = await execute(
    sandbox,
    "Deno.stdout.writeSync(new TextEncoder().encode('🌊🌊🌊'))\n;",
  );
  assertEquals([fits.observation.slice(0, 6), fits.observationSynthetic], ["🌊🌊🌊", false]);
  await using mute = codeSandbox({ ...LIMITS, maxOutputChars: 0 });
  const nothing = await execute(mute, "1");
  assertEquals([nothing.truncatedChars, nothing.observationSynthetic], [2, true]);
});

Deno.test("codeSandbox() stops code that runs too long and tells that its state is lost", async () => {
  await using sandbox = codeSandbox({ ...LIMITS, timeoutMs: 300 });
  for (
    const code of ["console.log('a'); for (;;);", "console.log('a'); await new Promise(() => {})"]
  ) {
    await observe(sandbox, "globalThis.kept = 1");
    const { status, failed, observation } = await execute(sandbox, code);
    assertEquals([status, failed], ["executed", true]);
    assertEquals(observation, `a\n${CODE_SANDBOX_TEXTS.timedOut.replace("{ms}", "300")}`);
    assertStringIncludes(observation, "lost");
    assertEquals(await observe(sandbox, "typeof kept"), '"undefined"');
  }
});

Deno.test("codeSandbox() survives code that takes all memory", async () => {
  await using sandbox = codeSandbox({ ...LIMITS, maxMemoryMb: 128 });
  const hogs = [
    "const a = []; for (;;) a.push(new Array(1000).fill({}))",
    "const b = []; for (;;) b.push(new Uint8Array(1e7).fill(1))",
    "for (;;) postMessage('x'.repeat(1e5))",
  ];
  for (const code of hogs) {
    const { status, failed, observation } = await execute(sandbox, code);
    assertEquals([status, failed], ["executed", true], observation);
    assertEquals(observation, CODE_SANDBOX_TEXTS.outOfMemory.replace("{mb}", "128"));
  }
  assertEquals(await observe(sandbox, "1"), "1");
});

Deno.test("codeSandbox() tells code that ends its own process from a process that dies", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const exits = ["Deno.exit(0)", "self.close()", "(await import('node:process')).exit(3)"];
  for (const code of exits) assertEquals(await observe(sandbox, code), CODE_SANDBOX_TEXTS.exited);
  const dead = await execute(
    sandbox,
    "import { kill, pid } from 'node:process'; kill(pid, 'SIGKILL'); for (;;);",
  );
  assertEquals([dead.status, dead.failed], ["environment_failed", false]);
  assertEquals(dead.observation, CODE_SANDBOX_TEXTS.died);
  assertEquals(await observe(sandbox, "1"), "1");
});

Deno.test("codeSandbox() takes the engine's word for it that memory was the reason", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const code = `import { kill, pid } from "node:process";
    const report = "<--- Last few GCs --->\\n# Fatal JavaScript out of memory: Reached heap limit";
    Deno.stderr.writeSync(new TextEncoder().encode(report));
    kill(pid, "SIGKILL");
    for (;;);`;
  const { status, failed, observation } = await execute(sandbox, code);
  assertEquals([status, failed], ["executed", true]);
  assertEquals(observation, CODE_SANDBOX_TEXTS.outOfMemory.replace("{mb}", "512"));
});

Deno.test("codeSandbox() does not run code in a sandbox that it finds dead", async () => {
  const { permissions, connect, connected } = witness();
  await using sandbox = codeSandbox({ ...LIMITS, permissions });
  await observe(
    sandbox,
    `import { kill, pid } from "node:process";
    ${connect}
    witness.read(new Uint8Array(1)).then(() => kill(pid, "SIGKILL"));`,
  );
  const process = await connected();
  await process.poke();
  await process.gone();
  const { status, observation } = await execute(sandbox, "console.log('ran')");
  assertEquals(status, "environment_failed");
  assert(
    [CODE_SANDBOX_TEXTS.foundDead, CODE_SANDBOX_TEXTS.died].includes(observation),
    observation,
  );
  assertEquals(await observe(sandbox, "1"), "1");
});

Deno.test("codeSandbox() kills code on abort and rejects with its reason", async () => {
  const { permissions, connect, connected } = witness();
  await using sandbox = codeSandbox({ ...LIMITS, permissions });
  const controller = new AbortController();
  const reason = new Error("enough");
  const outcome = execute(sandbox, `${connect} for (;;);`, "js", controller.signal);
  const process = await connected();
  controller.abort(reason);
  assertEquals(await assertRejects(() => outcome), reason);
  await process.gone();
  assertEquals(await assertRejects(() => execute(sandbox, "1", "js", controller.signal)), reason);
  assertEquals(await observe(sandbox, "typeof witness"), '"undefined"');
});

Deno.test("codeSandbox() leaves no process behind after close(), also in the middle of code", async () => {
  const { permissions, connect, connected } = witness();
  const sandbox = codeSandbox({ ...LIMITS, permissions });
  const outcome = execute(sandbox, `${connect} for (;;);`);
  const process = await connected();
  await sandbox.close();
  await process.gone();
  assertEquals((await outcome).status, "environment_failed");
  await sandbox.close();
  await assertRejects(() => execute(sandbox, "1"), EnvironmentError, "closed");
});

Deno.test("codeSandbox() leaves no process behind when its parent is killed", async () => {
  const ways = [
    "for (;;);",
    "for (;;) Deno.stdout.writeSync(new Uint8Array(9));",
    "await new Promise(() => {});",
    "for (;;) postMessage(0);",
  ];
  const module = import.meta.resolve("../../adapters/code_sandbox.ts");
  for (const way of ways) {
    const { permissions, connect, connected } = witness();
    const options = { ...LIMITS, timeoutMs: 1e9, permissions };
    const parent = new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        "--no-lock",
        `import { codeSandbox } from ${JSON.stringify(module)};
        const action = { language: "js", code: ${JSON.stringify(`${connect} ${way}`)} };
        const { signal } = new AbortController();
        await codeSandbox(${JSON.stringify(options)}).execute({ action, signal });`,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const process = await connected();
    parent.kill("SIGKILL");
    await parent.status;
    await process.gone();
  }
});

Deno.test({
  name: "codeSandbox() gives its process neither the environment nor the files of this one",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const path = await Deno.makeTempFile();
    const file = await Deno.open(path);
    try {
      await using sandbox = codeSandbox(LIMITS);
      const pid = await observe(sandbox, "Deno.pid");
      const names = (await Deno.readTextFile(`/proc/${pid}/environ`)).split("\0")
        .filter((entry) => entry !== "").map((entry) => entry.split("=")[0]!);
      assertEquals(names.sort(), ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "NO_COLOR"]);
      for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
        const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
        assertNotEquals(target, path);
      }
      assertEquals(await Deno.readLink(`/proc/${pid}/cwd`), "/");
    } finally {
      file.close();
      await Deno.remove(path);
    }
  },
});

Deno.test("codeSandbox() runs one action at a time", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const first = execute(sandbox, "await new Promise((r) => setTimeout(r, 1)); 1");
  await assertRejects(() => execute(sandbox, "2"), EnvironmentError, "other code");
  assertEquals((await first).observation, "1");
});

Deno.test("codeSandbox() does not execute what is no action of its own", async () => {
  await using sandbox = codeSandbox(LIMITS);
  const wrong: JsonValue[] = [
    null,
    "1",
    [],
    {},
    { code: "1" },
    { language: "py", code: "1" },
    { language: "JS", code: "1" },
    { language: "js", code: 1 },
    { language: "js", code: "1", permissions: {} },
  ];
  for (const action of wrong) {
    const call = { action, actionId: "r/s0_a0", attempt: 1, signal: never };
    const outcome = await sandbox.execute(call);
    assertEquals(outcome.status, "not_executed");
    assertStringIncludes(outcome.observation, "js, javascript, ts, typescript");
    assertEquals(sandbox.replayPolicy!(action), "replayable");
  }
  assertEquals(sandbox.replayPolicy!({ language: "js", code: "1" }), "never");
});

Deno.test("codeSandbox() tells in parameters() all that bears on a run", () => {
  const parameters = codeSandbox(LIMITS).parameters();
  const others: CodeSandboxOptions[] = [
    { ...LIMITS, timeoutMs: 1 },
    { ...LIMITS, maxOutputChars: 1 },
    { ...LIMITS, maxMemoryMb: 300 },
    { ...LIMITS, permissions: { read: ["/a"] } },
    ...Object.keys(CODE_SANDBOX_TEXTS).map((name) => ({ ...LIMITS, texts: { [name]: "x" } })),
  ];
  for (const other of others) assertNotEquals(codeSandbox(other).parameters(), parameters);
  assertEquals(codeSandbox({ ...LIMITS, permissions: { read: [] } }).parameters(), parameters);
});

Deno.test("codeSandbox() refuses options that it cannot follow", () => {
  const wrong: object[] = [
    { ...LIMITS, timeoutMs: 0 },
    { ...LIMITS, timeoutMs: NaN },
    { ...LIMITS, maxOutputChars: -1 },
    { ...LIMITS, maxOutputChars: 1.5 },
    { ...LIMITS, maxMemoryMb: 64 },
    { ...LIMITS, permissions: { run: ["sh"] } },
    { ...LIMITS, permissions: { read: true } },
    { ...LIMITS, permissions: { read: ["relative"] } },
    { ...LIMITS, permissions: { read: ["/a,/b"] } },
    { ...LIMITS, permissions: { net: [""] } },
  ];
  for (const options of wrong) {
    assertThrows(() => codeSandbox(options as CodeSandboxOptions), InvalidRequestError);
  }
});
