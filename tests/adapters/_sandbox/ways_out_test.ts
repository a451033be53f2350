import { assertEquals } from "@std/assert";
import { closeWaysOut, PROCESS_MEMBERS } from "../../../adapters/_sandbox/ways_out.ts";

/** Runs code in a worker in which the ways out were closed after other code had run; resolves with what it returns. */
async function afterClosing(before: string, code: string): Promise<unknown> {
  const source = `${before}
    ${closeWaysOut}
    const say = postMessage;
    closeWaysOut(${JSON.stringify(PROCESS_MEMBERS)});
    const attempt = (f) => { try { return f() } catch (error) { return String(error) } };
    say(await (async () => { ${code} })());`;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const worker = new Worker(url, { type: "module" });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(event.error ?? event.message);
      };
    });
  } finally {
    worker.terminate();
  }
}

Deno.test("closeWaysOut() leaves of process, Deno and the globals nothing that loads a module", async () => {
  const kept = await afterClosing(
    "",
    `const { internal } = Deno;
     return [Reflect.ownKeys(process).map(String).filter((name) => typeof process[name] !== "object" || Reflect.ownKeys(process[name]).length > 0), typeof Worker, typeof internal, Object.getOwnPropertySymbols(Deno).length]`,
  );
  const [members, ...others] = kept as [string[], ...unknown[]];
  const unknown = members.filter((name) =>
    !PROCESS_MEMBERS.includes(name) &&
    !/^_event|^Symbol|^_maxListeners$|^allowedNodeEnvironmentFlags$/.test(name)
  );
  assertEquals(unknown, []);
  assertEquals(others, ["undefined", "undefined", 0]);
});

Deno.test("closeWaysOut() makes useless what code might still have come by", async () => {
  const said = await afterClosing(
    `const load = process.getBuiltinModule, { Worker } = globalThis;
     const { WASI } = load("wasi"), { Module, createRequire } = load("module"), threads = load("worker_threads");`,
    `const wasi = new WASI({ version: "preview1" });
     return [
       wasi.getImportObject, wasi.wasiImport, wasi.initialize, wasi.start, wasi.finalizeBindings,
       Module._load, Module.createRequire, Module.prototype.require,
       attempt(() => new Worker("data:text/javascript,", { type: "module" })),
       attempt(() => new threads.Worker("1", { eval: true })),
       attempt(() => createRequire("/a")("wasi").WASI),
       attempt(() => { WASI.prototype.start = 1; return WASI.prototype.start }),
       attempt(() => { Object.setPrototypeOf(Worker, EventTarget); return "set" }),
     ].map((it) => it === undefined ? "" : String(it))`,
  );
  const kinds = (said as string[]).map((text) => text.split(":")[0]);
  assertEquals(kinds.slice(0, 8), Array(8).fill(""));
  assertEquals(kinds.slice(8), Array(5).fill("TypeError"));
});
