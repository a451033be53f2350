/** Cells that take memory without end, each in another way. `FOLDER` may be read and written. */
export const MEMORY_BOMBS: Readonly<Record<string, string>> = {
  "objects": "const a = []; for (;;) a.push(new Array(1000).fill({}))",
  "bytes": "const b = []; for (;;) b.push(new Uint8Array(1e7).fill(1))",
  "one large array": "const b = []; for (;;) b.push(new Uint8Array(1e9).fill(1))",
  "numbers as globals":
    "for (;;) globalThis['k' + Math.random()] = new Float64Array(1e6).fill(Math.random())",
  "shared memory":
    "const k = []; for (;;) k.push(new Uint8Array(new SharedArrayBuffer(1e8)).fill(1))",
  "WebAssembly memories":
    "const m = []; for (;;) { const x = new WebAssembly.Memory({ initial: 1000 }); new Uint8Array(x.buffer).fill(1); m.push(x) }",
  "a WebAssembly memory that grows":
    "const x = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); for (;;) { x.grow(500); new Uint8Array(x.buffer).fill(1) }",
  "messages": "const { port1 } = new MessageChannel(); for (;;) port1.postMessage('x'.repeat(1e5))",
  "broadcast messages":
    "const [a, b] = [new BroadcastChannel('x'), new BroadcastChannel('x')]; for (;;) a.postMessage('x'.repeat(1e5))",
  "clones":
    "const k = [], o = { a: new Uint8Array(1e6).fill(7) }; for (;;) k.push(structuredClone(o))",
  "texts":
    "let s = 'ab'.repeat(1000); const k = []; for (;;) { s += s.slice(0, 1e6); k.push(JSON.parse(JSON.stringify(s))) }",
  "encoded texts":
    "const k = [], s = '🌊'.repeat(5e6); for (;;) k.push(new TextEncoder().encode(s))",
  "split texts": "const k = [], s = 'a'.repeat(1e7); for (;;) k.push(s.split(''))",
  "promises and timers": "const k = []; for (;;) k.push(new Promise((r) => setTimeout(r, 1e6)))",
  "code":
    "const k = []; for (let i = 0;; i++) { const f = new Function('return ' + Array.from({ length: 20000 }, (_, j) => 'a' + i + '_' + j + '=>' + j).join(',')); f(); k.push(f) }",
  "blobs":
    "let b = new Blob(['x'.repeat(1e6)]); const k = []; for (;;) { b = new Blob([b, b]); k.push(await b.arrayBuffer()) }",
  "streams":
    "const k = []; for (;;) { const c = new CompressionStream('gzip'); c.writable.getWriter().write(new Uint8Array(5e7).fill(3)); k.push(c); await 0 }",
  "output that nobody waits for": "for (;;) Deno.stdout.write(new Uint8Array(1e6).fill(65))",
  "output": "for (;;) console.log('x'.repeat(1e6))",
  "unpacking on all threads":
    "const z = await import('node:zlib'), g = z.gzipSync(Buffer.alloc(3e7)); globalThis.k = []; for (let i = 0; i < 100; i++) z.gunzip(g, (_, b) => k.push(b)); await new Promise(() => {})",
  "randomness on all threads":
    "const { randomFill } = await import('node:crypto'), b = []; for (let i = 0; i < 60; i++) { b.push(new Uint8Array(1e8)); randomFill(b[i], () => {}) } await new Promise(() => {})",
  "scrypt on all threads":
    "const { scrypt } = await import('node:crypto'); for (let i = 0; i < 500; i++) scrypt('a', 'b', 64, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 31 }, () => {}); await new Promise(() => {})",
  "one large scrypt":
    "(await import('node:crypto')).scryptSync('a', 'b', 64, { N: 2 ** 21, r: 8, p: 1, maxmem: 2 ** 33 }); for (;;);",
  "files of nothing":
    "const f = FOLDER + '/z', k = await Deno.open(f, { create: true, write: true }); await k.truncate(2e9); k.close(); await Promise.all(Array.from({ length: 16 }, () => Deno.readFile(f))); for (;;);",
};
