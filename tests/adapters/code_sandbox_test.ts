import {
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
import {
  actionFate,
  EnvironmentError,
  InvalidRequestError,
  type JsonValue,
} from "../../types/mod.ts";
import { execute, inSteps, LIMITS, never, observe } from "./sandbox_cells.ts";

/** What a sandbox is as a notebook; each goes on where the one before ended. */
const NOTEBOOK: Readonly<Record<string, (sandbox: CodeSandbox) => Promise<void>>> = {
  "keeps state from one action to the next": async (sandbox) => {
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
  },
  "shows code of earlier actions what is declared again": async (sandbox) => {
    await observe(sandbox, "function main() { return part() } function part() { return 'old' }");
    assertEquals(await observe(sandbox, "function part() { return 'new' }; main()"), '"new"');
    await observe(sandbox, "let part = () => 'newer'");
    assertEquals(await observe(sandbox, "main()"), '"newer"');
  },
  "says where code failed, and keeps what was declared before": async (sandbox) => {
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
      assertEquals(actionFate(outcome), "failed", code);
      assertEquals(outcome.observation, observation, code);
    }
    assertEquals(await observe(sandbox, "kept"), "1");
  },
  "tells errors that nobody handled": async (sandbox) => {
    assertEquals(await observe(sandbox, "Promise.reject(new Error('a')); 1"), "1\nError: a");
    const thrown =
      "await new Promise((done) => { setTimeout(done, 1); setTimeout(() => { throw new Error('b') }) })";
    assertEquals(await observe(sandbox, thrown), "Error: b");
    assertEquals(await observe(sandbox, "1"), "1");
  },
  "shows any value": async (sandbox) => {
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
    assertEquals([actionFate(hostile), hostile.observation.split("\n")[0]], [
      "failed",
      "Error: no",
    ]);
  },
  "runs one action at a time": async (sandbox) => {
    const first = execute(sandbox, "await new Promise((r) => setTimeout(r, 1)); 1");
    await assertRejects(() => execute(sandbox, "2"), EnvironmentError, "other code");
    assertEquals((await first).observation, "1");
  },
};

Deno.test("codeSandbox() is a notebook", async (t) => {
  await using sandbox = codeSandbox(LIMITS);
  await inSteps(t, sandbox, NOTEBOOK);
});

Deno.test("codeSandbox() reads output as UTF-8, whatever pieces it comes in, and bounds it in code points", async () => {
  await using sandbox = codeSandbox({ ...LIMITS, maxOutputChars: 3 });
  const bytes = [...new TextEncoder().encode("水🌊é")].join();
  const fits = await execute(
    sandbox,
    `for (const b of [${bytes}]) { Deno.stdout.writeSync(new Uint8Array([b])); await new Promise((r) => setTimeout(r)) }`,
  );
  assertEquals([fits.observation, fits.observationSynthetic], ["水🌊é", false]);
  const outcome = await execute(
    sandbox,
    "console.log('🌊'.repeat(10)); console.log('x'.repeat(5e5))",
  );
  assertEquals(outcome.truncatedChars, 500_009);
  assertEquals(outcome.observation, "🌊\n[500009 more characters were cut off]\nx");
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
    { ...LIMITS, memoryMb: 300 },
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
    { ...LIMITS, memoryMb: 64 },
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
