import { assertEquals, assertRejects } from "@std/assert";
import { prepareCell } from "../../../adapters/_sandbox/cell.ts";

const value = (expression: string) => `return [(${expression}\n)];`;

Deno.test("prepareCell() returns the value of a last expression and of nothing else", async () => {
  const cells: [code: string, body: string][] = [
    ["1", value("1")],
    ["a\n+ b", value("a\n+ b")],
    ["a;\nb;", `a;\n${value("b")}`],
    ["a; b // c; d", `a;${value(" b // c; d")}`],
    ["a\nb /* ; */ ; // e", `a\n${value("b /* ; */ ")}`],
    ["f('a;//b')", value("f('a;//b')")],
    ["/a;b/.test(`;\n;`)", value("/a;b/.test(`;\n;`)")],
    ["x = {\n a: 1,\n}\nx.a", `x = {\n a: 1,\n}\n${value("x.a")}`],
    ["if (a) { b() }\nc", `if (a) { b() }\n${value("c")}`],
    ["await f()\n  .then(g)", value("await f()\n  .then(g)")],
    ["async () => 1", value("async () => 1")],
    ["let x = 1\n+ y", "let x = 1\n+ y"],
    ["a\n;[b].map(c)", `a\n;${value("[b].map(c)")}`],
    ["if (a)\n b()\nelse\n c()", "if (a)\n b()\nelse\n c()"],
    ["for (let i = 0; i < 3; i++) f(i)", "for (let i = 0; i < 3; i++) f(i)"],
    ["do f()\nwhile (a)", "do f()\nwhile (a)"],
    ["// note; f()", "// note; f()"],
    ["/* a\nb; c */", "/* a\nb; c */"],
    ["{ a: 1 }", "{ a: 1 }"],
    ["function f() {}", "function f() {}"],
    ["async function f() {}\n// done", "async function f() {}\n// done"],
    ["class A {}", "class A {}"],
    ["const a = 1;", "const a = 1;"],
    ["", ""],
    [" \n;", " \n;"],
  ];
  for (const [code, body] of cells) assertEquals((await prepareCell(code, false)).body, body, code);
});

Deno.test("prepareCell() finds exactly the names of the top level", async () => {
  const cells: [code: string, names: string[]][] = [
    ["const a = 1, { b, c: [d = e, ...f], ...g } = h", ["a", "b", "d", "f", "g"]],
    ["let a; var b; function c(x) { let y } class D { z = 1 } async function* e() {}", [
      "a",
      "b",
      "c",
      "D",
      "e",
    ]],
    ["for (const a of b) { var c = 1; let d }", ["c"]],
    ["// let a\n'let b'; `let c ${(() => { let d })()}`; /let e/", []],
    ["a = 1; globalThis.b = 2; c: for (;;) break c", []],
    ["const 你好 = 1, $ = 2, _\u200d = 3, yield_ = 4", ["你好", "$", "_\u200d", "yield_"]],
    ["const __proto__ = 1, constructor = 2", ["__proto__", "constructor"]],
  ];
  for (const [code, names] of cells) {
    assertEquals((await prepareCell(code, false)).names, names, code);
  }
});

Deno.test("prepareCell() takes types off and refuses what is neither language", async () => {
  const typed =
    "interface A { b: number }\ntype B = A;\nenum C { D }\nconst e: B = { b: 1 } satisfies A as any;\ne!.b";
  const { body, names } = await prepareCell(typed, true);
  assertEquals(names, ["C", "e"]);
  assertEquals(/interface|type B|satisfies|as any|!/.test(body), false);
  await assertRejects(() => prepareCell("const a: number = 1", false), SyntaxError);
  await assertRejects(
    () => prepareCell("1\nconst a: = 1", true),
    SyntaxError,
    "\n2 | const a: = 1",
  );
  for (const isTypeScript of [false, true]) {
    for (
      const code of ["const a = ;", "}\nglobalThis.x = 1;\n{", "let a; let a", "export const a = 1"]
    ) {
      await assertRejects(() => prepareCell(code, isTypeScript), SyntaxError);
    }
  }
});

Deno.test("prepareCell() makes import declarations dynamic, and only them", async () => {
  const cells: [code: string, script: string][] = [
    ["import 'a';f()", "await import('a');f()"],
    ['import a from "b"', 'const { default: a } = await import("b");'],
    ["import * as a from 'b';", "const a = await import('b');"],
    ["import a, * as b from 'c'", "const b = await import('c'), { default: a } = b;"],
    [
      "import a, {\n  b,\n  c as d,\n} from 'e';\nf",
      "const { b, c: d, default: a } = await import('e');\n\n\n\nf",
    ],
    [
      "import a from 'b' with { type: 'json' }",
      "const { default: a } = await import('b', { with: { type: 'json' } });",
    ],
    ["const a = `\nimport b from 'c'\n`", "const a = `\nimport b from 'c'\n`"],
    ["/*\nimport b from 'c'\n*/\nimport 'd'", "/*\nimport b from 'c'\n*/\nawait import('d');"],
    ["import('a')", "import('a')"],
  ];
  for (const [code, script] of cells) {
    assertEquals((await prepareCell(code, false)).script, script, code);
  }
  const typed = await prepareCell(
    "import type { A } from 'b'\nimport { type C, d } from 'e'",
    true,
  );
  assertEquals(typed.script.trim().split("\n")[0], "const { d } = await import('e');");
  assertEquals(typed.names, ["d"]);
});
