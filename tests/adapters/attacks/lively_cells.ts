/** Cells that keep a process busy while others run, each in another way. */
const BACKGROUND_CELLS: Readonly<Record<string, string>> = {
  "waiting": "await new Promise(() => {})",
  "writing without waiting": "for (;;) { process.stdout.write('x'.repeat(9_999)); await 0 }",
  "timers": "setInterval(() => { for (let i = 0; i < 1e6; i++); }); await new Promise(() => {})",
  "sending itself messages":
    "const { port1, port2 } = new MessageChannel(); port2.onmessage = () => port1.postMessage(0); port1.postMessage(0); await new Promise(() => {})",
  "every thread":
    "const { pbkdf2 } = await import('node:crypto'); for (let i = 0; i < 999; i++) pbkdf2('a', 'b', 1e7, 64, 'sha512', () => {}); await new Promise(() => {})",
};

/** Cells that let nothing else run. */
const BLOCKING_CELLS: Readonly<Record<string, string>> = {
  "reading what brings the cells": "(await import('node:fs')).readSync(0, new Uint8Array(9))",
  "a stop": "process.kill(process.pid, 'SIGSTOP'); for (;;);",
  "signals that it takes":
    "for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE']) Deno.addSignalListener(name, () => {}); for (;;) console.log('x')",
};

/** Cells that keep a process busy in twelve ways, each of which might keep it from seeing that its parent has died. */
export const LIVELY_CELLS: Readonly<Record<string, string>> = {
  ...BACKGROUND_CELLS,
  ...BLOCKING_CELLS,
  "an endless loop": "for (;;);",
  "writing to stdout": "for (;;) Deno.stdout.writeSync(new Uint8Array(65_536))",
  "writing to stderr": "for (;;) Deno.stderr.writeSync(new Uint8Array(65_536))",
  "allocating": "for (;;) new Uint8Array(1e6).fill(1)",
};

/** A sample of them: those that go side by side in one cell, and those that differ most of the others. */
export const LIVELY_SAMPLE: readonly string[] = [
  Object.values(BACKGROUND_CELLS).map((cell) => `(async () => { ${cell} })();`).join("\n") +
  "\nawait new Promise(() => {})",
  ...Object.values(BLOCKING_CELLS),
];
