import type { Attack } from "./attack.ts";

/** Ways to a module, or to a part of Deno, that can do more than Deno's permissions say. */
export const MODULE_ATTACKS: readonly Attack[] = [
  { name: "import() of node:wasi", code: `useWasi((await import("node:wasi")).WASI)` },
  { name: "an import declaration", code: `import { WASI } from "node:wasi";\nuseWasi(WASI)` },
  {
    name: "import() by another name",
    code:
      `const names = ["NODE:wasi", "node:wasi?a", "node:wasi#a", "node:/wasi", "node://wasi", "node:%77asi",
        " node:wasi", "node:wasi/", "wasi", "ext:deno_node/wasi.ts", "node:./wasi", "deno:wasi", "internal:wasi"];
      for (const name of names) await attempt(async () => useWasi((await import(name)).WASI))
        .then((said) => reached(said.includes("REACHED") && name))`,
  },
  {
    name: "import() with attributes",
    code: `for (const type of ["text", "json", "bytes", "css", "node", "builtin"]) {
        const said = await attempt(async () => useWasi((await import("node:wasi", { with: { type } })).WASI));
        reached(said.includes("REACHED") && type);
      }`,
  },
  { name: "getBuiltinModule", code: `useWasi(process.getBuiltinModule("wasi").WASI)` },
  {
    name: "getBuiltinModule of node:process",
    code:
      `import { getBuiltinModule } from "node:process";\nuseWasi(getBuiltinModule("node:wasi").WASI)`,
  },
  {
    name: "getBuiltinModule up the prototypes",
    code: `for (let it = process; it; it = Object.getPrototypeOf(it)) {
        for (const key of Reflect.ownKeys(it)) {
          const { value, get } = Object.getOwnPropertyDescriptor(it, key);
          for (const f of [value, get]) if (typeof f === "function" && /builtin|binding|dlopen|linked/i.test(f.name)) reached(f.name);
        }
      }`,
  },
  {
    name: "bindings of process",
    code:
      `for (const name of ["binding", "_linkedBinding", "internalBinding", "dlopen", "mainModule", "_eval", "moduleLoadList"])
        reached(process[name] && name)`,
  },
  {
    name: "process as the receiver of a listener",
    code: `const seen = [];
      for (const name of ["exit", "warning", "beforeExit", "newListener"]) process.on(name, function () { seen.push(this) });
      process.emitWarning("w"); process.emit("exit"); process.on("x", () => {});
      await new Promise((resolve) => setTimeout(resolve, 1));
      for (const it of seen) reached(it.getBuiltinModule || it.binding)`,
  },
  {
    name: "createRequire",
    code:
      `import { createRequire } from "node:module";\nuseWasi(createRequire("file:///a.js")("wasi").WASI)`,
  },
  {
    name: "Module.createRequire",
    code: `useWasi((await import("node:module")).default.createRequire("/a")("wasi").WASI)`,
  },
  { name: "require", code: `useWasi(require("node:wasi").WASI)` },
  {
    name: "process.mainModule.require",
    code: `useWasi(process.mainModule.require("node:wasi").WASI)`,
  },
  {
    name: "a CommonJS file",
    code:
      `const url = files({ "a.cjs": "module.exports = require('node:wasi')", "b.cts": "export = require('node:wasi')" });
      reached(await attempt(async () => useWasi((await import(url.replace("a.cjs", "b.cts"))).default.WASI))
        .then((said) => said.includes("REACHED")));
      useWasi((await import(url)).default.WASI)`,
  },
  {
    name: "a CommonJS file of a package",
    code:
      `const url = files({ "c/a.js": "exports.WASI = require('wasi').WASI; exports.M = module.constructor",
        "c/package.json": '{"type":"commonjs"}' });
      const { WASI, M } = await import(url);
      reached(M); useWasi(WASI)`,
  },
  {
    name: "require of module, through a CommonJS file",
    code: `const url = files({ "d.cjs": "module.exports = module.constructor" });
      const Module = (await import(url)).default;
      reached(Module._load("worker_threads")); useWasi(Module._load("wasi").WASI)`,
  },
  {
    name: "a package in node_modules",
    code: `const url = files({ "node_modules/p/index.mjs": "export { WASI } from 'wasi'",
        "node_modules/p/package.json": '{"name":"p","main":"index.mjs"}', "deno.json": '{"nodeModulesDir":"manual"}',
        "package.json": '{"dependencies":{"p":"*"}}' });
      useWasi((await import(url)).WASI)`,
  },
  {
    name: "an import map and a configuration in the folder",
    code: `files({ "deno.json": '{"imports":{"wasi":"node:wasi","node:process":"node:wasi"}}',
        "import_map.json": '{"imports":{"w":"node:wasi"}}' });
      const url = files({ "e.mjs": "export { WASI } from 'wasi'" });
      useWasi((await import(url)).WASI)`,
  },
  {
    name: "a module of a file",
    code: `useWasi((await import(files({ "a.mjs": "export * from 'node:wasi'" }))).WASI)`,
  },
  {
    name: "TypeScript's import =",
    code:
      `useWasi((await import(files({ "a.ts": "import w = require('node:wasi'); export { w }" }))).w.WASI)`,
  },
  {
    name: "a data: module",
    code: `useWasi((await import("data:text/javascript,export * from 'node:wasi'")).WASI)`,
  },
  {
    name: "a data: module of a data: module",
    code: `const inner = "data:text/javascript," + encodeURIComponent("export * from 'node:wasi'");
      useWasi((await import("data:application/typescript," + encodeURIComponent("export * from " + JSON.stringify(inner)))).WASI)`,
  },
  {
    name: "a blob: module",
    code:
      `const url = URL.createObjectURL(new Blob(["export * from 'node:wasi'"], { type: "text/javascript" }));
      useWasi((await import(url)).WASI)`,
  },
  {
    name: "a data: module with a pragma",
    code:
      `const source = "/** @jsxImportSource node:wasi */ export const a = <b/>; export * from 'node:wasi'";
      const { WASI } = await import("data:text/jsx," + encodeURIComponent(source));
      useWasi(WASI)`,
  },
  {
    name: "a WebAssembly module that imports it",
    code: `const name = (text) => [text.length, ...new TextEncoder().encode(text)];
      const body = [1, ...name("node:wasi"), ...name("WASI"), 0, 0];
      const bytes = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, body.length, ...body]);
      const url = "data:application/wasm;base64," + bytes.toBase64();
      reached(await attempt(() => import(url)).then((it) => typeof it === "object"));
      Deno.writeFileSync(FOLDER + "/a.wasm", bytes);
      reached(await import("file://" + FOLDER + "/a.wasm"))`,
  },
  {
    name: "an import from the engine's own functions",
    code:
      `const makers = [Function, (async () => {}).constructor, (function* () {}).constructor, eval];
      for (const make of makers) {
        const said = await attempt(async () => useWasi((await make("return import('node:wasi')")()).WASI));
        reached(said.includes("REACHED"));
      }
      useWasi((await (0, eval)("import('node:wasi')")).WASI)`,
  },
  {
    name: "a timer with a text",
    code: `globalThis.got = undefined;
      await attempt(() => setTimeout("import('node:wasi').then((m) => globalThis.got = m)"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      useWasi(got.WASI)`,
  },
  {
    name: "other modules that load modules",
    code:
      `for (const name of ["module", "vm", "repl", "worker_threads", "child_process", "cluster", "inspector", "inspector/promises",
          "v8", "async_hooks", "test", "test/reporters", "trace_events", "domain", "diagnostics_channel", "sqlite", "sys",
          "_http_common", "_tls_common", "_stream_wrap", "sea", "ffi", "internal/bootstrap/realm", "internal/util"])
        reached(await attempt(() => import("node:" + name)).then((it) => typeof it === "object" && name))`,
  },
  { name: "a worker", code: `reached(new Worker("data:text/javascript,", { type: "module" }))` },
  {
    name: "a worker of Node's",
    code: `reached(new (await import("node:worker_threads")).Worker("1", { eval: true }))`,
  },
  {
    name: "a worker by any other name",
    code:
      `for (const key of Reflect.ownKeys(globalThis)) reached(/^(?:Shared)?Worker$|Worklet|ShadowRealm|ServiceWorker/.test(String(key)) && String(key));
      const made = Object.getPrototypeOf(self).constructor;
      reached(await attempt(() => new made("data:text/javascript,")).then((it) => typeof it === "object"));
      reached(navigator.serviceWorker)`,
  },
  {
    name: "graphics, by which drivers of the system would be loaded",
    code:
      `reached(navigator.gpu || typeof OffscreenCanvas === "function" && new OffscreenCanvas(1, 1).getContext("2d"));
      for (const key of Reflect.ownKeys(globalThis)) reached(/^GPU|Canvas/.test(String(key)) && String(key))`,
  },
  { name: "Deno's internals", code: `reached(Deno[Deno.internal])` },
  {
    name: "Deno's internals by their symbol",
    code:
      `for (const it of [Deno, globalThis, navigator, performance, crypto, Deno.errors, Deno.permissions])
        for (let at = it; at; at = Object.getPrototypeOf(at))
          for (const key of Object.getOwnPropertySymbols(at)) {
            let value; try { value = at[key] } catch {}
            reached(value && (value.core || value.ops || value.internals) && String(key));
          }
      for (const name of ["Deno.internal", "Deno.core", "nodejs.internal"]) reached(Deno[Symbol.for(name)] || globalThis[Symbol.for(name)]);
      reached(globalThis.__bootstrap || Deno.core || Deno.internal || globalThis.primordials)`,
  },
  {
    name: "call sites",
    code: `const found = [];
      Error.prepareStackTrace = (error, sites) => { for (const site of sites) found.push(site.getThis(), site.getFunction()); return "" };
      Error.stackTraceLimit = Infinity;
      new Error().stack;
      await attempt(() => Deno.readTextFileSync({ toString() { new Error().stack; return "/x" } }));
      [1].sort.call([2, 1], () => { new Error().stack });
      process.on("p", () => new Error().stack); process.emit("p");
      Error.prepareStackTrace = undefined;
      for (const it of found) reached(it && it !== process && it !== globalThis && typeof it === "function" && /op_|require|load/.test(it.name) && it.name)`,
  },
  {
    name: "a module loaded lazily while prototypes are patched",
    code: `const found = new Set(), { call, apply } = Function.prototype, { apply: run } = Reflect;
      for (const name of ["call", "apply", "bind"]) {
        const real = Function.prototype[name];
        Function.prototype[name] = function (...all) { found.add(this); for (const one of all) found.add(one); return run(real, this, all) };
      }
      const define = Object.defineProperty;
      Object.defineProperty = function (target, ...rest) { found.add(target); return run(define, this, [target, ...rest]) };
      try {
        for (const name of ["http2", "zlib", "crypto", "dgram", "readline", "perf_hooks", "tls"]) await attempt(() => import("node:" + name));
        await attempt(() => import("node:wasi"));
      } finally {
        Object.assign(Function.prototype, { call, apply });
        Object.defineProperty = define;
      }
      for (const it of found) {
        if (it === null || typeof it !== "object" && typeof it !== "function") continue;
        const name = attemptName(it);
        reached(/^WASI$|^Module$|createRequire|getBuiltin|^op_create_worker|^NodeWorker$|^Worker$/.test(name) && name);
      }
      function attemptName(it) { try { return String(it.name) } catch { return "" } }`,
  },
  {
    name: "modules that are fetched",
    code:
      `for (const url of ["https://deno.land/std/version.ts", "http://127.0.0.1/a.js", "jsr:@std/assert", "npm:chalk", "npm:/chalk@5"])
        reached(await attempt(() => import(url)).then((it) => typeof it === "object" && url))`,
  },
  {
    name: "code of another subcommand",
    code:
      `for (const way of [() => Deno.lint.runPlugin({ name: "a", rules: {} }, OUTSIDE + "/a.ts", "1"), () => Deno.bundle({ entrypoints: ["file://" + OUTSIDE + "/secret.txt"] }), () => Deno.jupyter.display(1)])
        reached(await attempt(way).then((it) => typeof it === "object"))`,
  },
  {
    name: "native code",
    code:
      `reached(await attempt(() => Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", { getpid: { parameters: [], result: "i32" } })).then((it) => typeof it === "object"));
      files({ "a.node": "" });
      reached(await import("file://" + FOLDER + "/a.node"))`,
  },
  {
    name: "a program",
    code:
      `for (const start of [() => new Deno.Command("/bin/true").outputSync(), () => Deno.spawn?.("/bin/true"), () => Deno.run?.({ cmd: ["true"] })])
        reached(await attempt(start).then((it) => typeof it === "object"))`,
  },
  {
    name: "flags of the engine",
    code: `reached(await attempt(() => import("node:v8")).then((it) => typeof it === "object"));
      reached(typeof gc === "function" || typeof d8 === "object" || typeof Sandbox === "object")`,
  },
];
