import { assertEquals, assertStringIncludes } from "@std/assert";
import { NODE_MODULES } from "../../adapters/_sandbox/import_map.ts";
import { type CodeSandbox, codeSandbox } from "../../adapters/code_sandbox.ts";
import { execute, inSteps, LIMITS, observe } from "./sandbox_cells.ts";
import { actionFate } from "../../types/mod.ts";

/** What a sandbox that may touch nothing keeps from code; the last of them takes the globals apart. */
const NOTHING: Readonly<Record<string, (sandbox: CodeSandbox) => Promise<void>>> = {
  "may touch nothing": async (sandbox) => {
    const file = new URL(import.meta.url).pathname;
    const attempts: [code: string, refusal: string][] = [
      ["Deno.env.get('HOME')", "env access"],
      ["(await import('node:process')).env.PATH", "env access"],
      [`Deno.readTextFileSync(${JSON.stringify(file)})`, "read access"],
      [`(await import('node:fs')).readFileSync(${JSON.stringify(file)})`, "read access"],
      [`await import("file://${file}")`, "read access"],
      [`await import("data:text/javascript,import 'file://${file}'")`, "read access"],
      [`import data from "file:///etc/hostname.json" with { type: "json" }`, "read access"],
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
      ["await import('node:inspector')", "does not have this module"],
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
      const outcome = await execute(sandbox, code);
      assertEquals(actionFate(outcome), "failed", code);
      assertStringIncludes(outcome.observation, refusal, code);
    }
    assertEquals(await observe(sandbox, "[Deno.cwd(), Deno.args]"), '[ "/", [] ]');
  },
  "lets code import what the list names, and tells what is not there": async (sandbox) => {
    const names = JSON.stringify([...NODE_MODULES, "process"]);
    const loaded = `const names = ${names}, sizes = [];
    for (const name of names) sizes.push(Object.keys(await import("node:" + name)).length);
    sizes.every((size) => size > 0) && sizes.length`;
    assertEquals(await observe(sandbox, loaded), String(NODE_MODULES.length + 1));
    assertEquals(
      (await observe(sandbox, `await import("node:vm")`)).split("\n")[0],
      "Error: The sandbox does not have this module of Node's",
    );
  },
  "has a protocol that code can neither forge nor disturb": async (sandbox) => {
    const forged = `${crypto.randomUUID()}${crypto.randomUUID()}s`;
    const said = JSON.stringify(forged);
    const disturbances: [code: string, observation: string][] = [
      [`Deno.stdout.writeSync(new TextEncoder().encode(${said})); 1`, `${forged}1`],
      [`(await import("node:fs")).writeSync(1, ${said}); 2`, `${forged}2`],
      [`Deno.stderr.writeSync(new TextEncoder().encode(${said})); 3`, `3\n[stderr]\n${forged}`],
      [
        "[typeof postMessage, typeof Worker, Deno[Deno.internal]]",
        '[ "undefined", "undefined", undefined ]',
      ],
      ["self.onmessage = () => console.log('heard'); 5", "5"],
      ["new BroadcastChannel('x').postMessage('s'); 6", "6"],
      ["await Deno.stdin.read(new Uint8Array(9))", "null"],
      ["Deno.stdin.readSync(new Uint8Array(9))", "null"],
      ["const seen = []; for await (const piece of process.stdin) seen.push(piece); seen", "[]"],
      ["(await import('node:process')).default.stdin === process.stdin", "true"],
      [
        "[process.exit, (await import('node:process')).exit, close].every((exit) => exit === Deno.exit)",
        "true",
      ],
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
  },
};

Deno.test("codeSandbox() without permissions", async (t) => {
  await using sandbox = codeSandbox(LIMITS);
  await inSteps(t, sandbox, NOTHING);
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
