import type { Attack } from "./attack.ts";

/** Ways to another process, or to the signals between the sandbox and its parent. */
export const PROCESS_ATTACKS: readonly Attack[] = [
  {
    name: "signals to other processes",
    code: `const pids = [Deno.ppid, Deno.ppid - 1, 1, -1, -Deno.ppid, -process.pid];
      for (const pid of pids) for (const kill of [Deno.kill, process.kill, process._kill])
        reached(await attempt(() => kill(pid, pid === -1 ? "SIGCONT" : "SIGURG")).then((it) => (it === undefined || it === true || it === 0) && pid))`,
  },
  {
    name: "what an earlier protocol took for a signal",
    code:
      `for (const letter of "rbsfxm") for (const say of [() => postMessage(letter), () => self.postMessage({ data: letter }), () => parent.postMessage(letter), () => new BroadcastChannel("a").postMessage(letter)]) await attempt(say);
      for (const fd of [1, 2]) (await import("node:fs")).writeSync(fd, "0".repeat(64) + "s")`,
  },
  {
    name: "events on the worker itself",
    code: `let heard = 0;
      self.onmessage = () => heard++; addEventListener("message", () => heard++);
      for (const type of ["message", "messageerror", "error", "close"]) self.dispatchEvent(new MessageEvent(type, { data: [new Int32Array(new SharedArrayBuffer(12)), new SharedArrayBuffer(9)] }));
      self.onmessage = null`,
  },
  {
    name: "ports that a patched prototype sees",
    code: `globalThis.ports = [];
      const { dispatchEvent } = EventTarget.prototype, { then } = Promise.prototype, { postMessage } = MessagePort.prototype;
      EventTarget.prototype.dispatchEvent = function (event) { ports.push(this, event); return dispatchEvent.call(this, event) };
      MessagePort.prototype.postMessage = function (...all) { ports.push(this); return postMessage.apply(this, all) };
      for (const name of ["load", "store", "notify", "waitAsync", "wait", "exchange"]) {
        const real = Atomics[name];
        Atomics[name] = (...all) => { ports.push(all[0]); return real(...all) };
      }
      for (const name of ["decode", "encode"]) {
        const { prototype } = name === "decode" ? TextDecoder : TextEncoder, real = prototype[name];
        prototype[name] = function (...all) { ports.push(...all); return real.apply(this, all) };
      }
      const { set } = Uint8Array.prototype;
      Object.getPrototypeOf(Uint8Array.prototype).set = function (...all) { ports.push(this, ...all); return set.apply(this, all) };`,
  },
  {
    name: "what a patched prototype saw",
    code:
      `for (const it of ports) reached(it instanceof MessagePort || it?.buffer instanceof SharedArrayBuffer || it instanceof SharedArrayBuffer)`,
  },
  {
    name: "values of promises that nobody gave it",
    code: `globalThis.values = [];
      const { then } = Promise.prototype;
      Promise.prototype.constructor = class extends Promise {};
      Promise.prototype.then = function (done, not) {
        return then.call(this, typeof done === "function" ? (value) => { values.push(value); return done(value) } : done, not);
      };`,
  },
  {
    name: "values of promises that nobody gave it, seen",
    code: `delete Promise.prototype.constructor; Promise.prototype.constructor = Promise;
      for (const it of values) reached(it?.buffer instanceof SharedArrayBuffer || typeof it === "string" && /^[0-9a-f]{64}/.test(it))`,
  },
  {
    name: "datagrams without a permission",
    code: `const { createSocket } = await import("node:dgram");
      const socket = createSocket("udp4").on("error", () => {});
      const state = Object.getOwnPropertySymbols(socket).map((key) => socket[key]).find((it) => it?.handle);
      const Handle = state.handle.constructor, udp = new Handle();
      reached(await attempt(() => udp.bind("127.0.0.1", 0, 0)).then((it) => it === 0));
      await attempt(() => udp.connect("127.0.0.1", 9));
      await attempt(() => udp.send({ oncomplete: (error) => reached(!error && "sent") }, [Buffer.from("a")], 1, 9, "127.0.0.1", true));
      await new Promise((resolve) => setTimeout(resolve, 5))`,
  },
  {
    name: "stdin",
    code:
      `console.log(await Deno.stdin.read(new Uint8Array(9)), Deno.stdin.readSync(new Uint8Array(9)));
      for await (const piece of process.stdin) reached(piece);
      for await (const piece of Deno.stdin.readable) reached(piece)`,
  },
  {
    name: "the parent's network",
    code:
      `const ways = [() => Deno.connect({ port: 22 }), () => Deno.listen({ port: 0 }), () => fetch("http://127.0.0.1"), () => new Promise((done, no) => import("node:net").then((net) => net.connect(22, "127.0.0.1").on("connect", done).on("error", no))),
        () => Deno.resolveDns("example.com", "A"), () => import("node:dns").then((dns) => dns.promises.lookup("example.com")), () => new Promise((done, no) => { const socket = new WebSocket("ws://127.0.0.1:1"); socket.onopen = done; socket.onerror = no }),
        () => Deno.networkInterfaces(), () => Deno.hostname(), () => import("node:os").then((os) => os.hostname()), () => Deno.startTls, () => Deno.connectQuic?.({}), () => new EventSource("http://127.0.0.1:1").close()];
      for (const way of ways.slice(0, 10)) reached(await attempt(way).then((it) => typeof it === "object" && String(way)))`,
  },
  {
    name: "files that are closed",
    code: `const fs = await import("node:fs");
      Deno.stderr.close();
      for (let i = 2; i < 99; i++) await attempt(() => fs.closeSync(i))`,
  },
  { name: "a signal to its group", code: `reached(process.kill(0, "SIGKILL"))` },
  // last, as it reads what wakes the process: a later cell may wait for ever
  {
    name: "handles of Node's on files that are open in the process",
    code: `const net = await import("node:net");
      for (let fd = 3; fd < 30; fd++) await attempt(() => {
        const { _handle } = new net.Socket({ fd }).on("error", () => {});
        const { constructor: Pipe } = _handle;
        for (const way of ["bind", "connect"]) new Pipe(0)[way](OUTSIDE + "/s", OUTSIDE + "/s");
      }).then((it) => reached(it === undefined && fd))`,
  },
];

/** Ways to end the sandbox's process, by which no cell must seem to have succeeded. */
export const ENDING_ATTACKS: readonly Attack[] = [
  {
    name: "a signal to itself",
    code: `process.kill(process.pid, "SIGKILL"); for (;;);`,
    says: "died",
  },
  { name: "stdout closed", code: `Deno.stdout.close(); console.log("x")`, says: "died" },
  { name: "exit", code: `Deno.exit(0)`, says: "exited" },
];

/** The same exit by other names. */
export const EXITING_ATTACKS: readonly Attack[] = [
  { name: "exit of Node's", code: `(await import("node:process")).exit(3)`, says: "exited" },
  { name: "close", code: `self.close()`, says: "exited" },
];

/** Ways to keep a cell from its end. */
export const ENDLESS_ATTACKS: readonly Attack[] = [
  { name: "a stop", code: `process.kill(process.pid, "SIGSTOP")`, says: "timedOut" },
  {
    name: "a loop in a promise",
    code: `Promise.resolve().then(() => { for (;;); })`,
    says: "timedOut",
  },
];
