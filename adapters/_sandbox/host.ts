import { cellSource } from "./cell.ts";
import { type SandboxSignal, type SandboxStart, secretSource } from "./protocol.ts";
import { WORDS, workerSource } from "./worker.ts";

/**
 * The main thread of the sandbox's process. Code of cells never runs here but in a worker, so that this thread can
 * always see the end of stdin (the parent let go, or died) and the memory that is held, and end the process. It shares
 * two pieces of memory with the worker's own code, and takes no message from the worker: one that comes is forged. Code
 * can write anything to stdout and stderr, but not a signal, as it cannot come by a secret. A signal is far shorter than
 * what a pipe takes at once, so that nothing gets into the middle of it.
 */
async function sandboxHost({ TURN, ANSWER, LENGTH }: typeof WORDS): Promise<void> {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let buffered = "";
  const nextLine = async (): Promise<string> => {
    const chunk = new Uint8Array(65_536);
    while (!buffered.includes("\n")) {
      const size = await Deno.stdin.read(chunk).catch(() => null);
      if (size === null) Deno.exit(0);
      buffered += decoder.decode(chunk.subarray(0, size), { stream: true });
    }
    const end = buffered.indexOf("\n");
    const line = buffered.slice(0, end);
    buffered = buffered.slice(end + 1);
    return line;
  };
  const { workerUrl, seed, maxMemoryBytes }: SandboxStart = JSON.parse(await nextLine());
  let count = 0;
  let secret: string | undefined;
  const prepare = async (): Promise<void> => {
    const source = encoder.encode(secretSource(seed, count++));
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", source));
    secret = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  let prepared = prepare();
  const signal = (letter: SandboxSignal): void => {
    if (secret === undefined) Deno.exit(1);
    const text = encoder.encode(secret + letter);
    secret = undefined;
    try {
      Deno.stderr.writeSync(text);
      Deno.stdout.writeSync(text);
    } catch {
      Deno.exit(1);
    }
    if (letter === "x" || letter === "m") Deno.exit(1);
    prepared = prepare();
  };
  setInterval(() => {
    if (Deno.memoryUsage().rss > maxMemoryBytes) signal("m");
  }, 10);
  const words = new Int32Array(new SharedArrayBuffer(4 * 3));
  const text = new SharedArrayBuffer(0, { maxByteLength: 2 ** 28 });
  const worker = new Worker(workerUrl, { type: "module" });
  worker.onmessage = worker.onmessageerror = worker.onerror = () => Deno.exit(1);
  worker.postMessage([words, text]);
  let isAnswerDue = true; // that the worker is ready
  const hearAnswers = async (): Promise<never> => {
    while (true) {
      await Atomics.waitAsync(words, ANSWER, 0).value;
      await prepared;
      const letter = String.fromCharCode(Atomics.exchange(words, ANSWER, 0)) as SandboxSignal;
      if (!isAnswerDue && letter !== "x") Deno.exit(1);
      isAnswerDue = false;
      signal(letter);
    }
  };
  hearAnswers();
  while (true) {
    const cell = encoder.encode(await nextLine());
    if (text.byteLength < cell.length) text.grow(cell.length);
    new Uint8Array(text).set(cell);
    Atomics.store(words, LENGTH, cell.length);
    await prepared;
    signal("b");
    isAnswerDue = true;
    Atomics.add(words, TURN, 1);
    Atomics.notify(words, TURN);
  }
}

/** The sandbox's program, as the URL of a module. */
export function hostUrl(): string {
  return moduleUrl(`${secretSource}\n${sandboxHost}\nsandboxHost(${JSON.stringify(WORDS)});`);
}

/** Its worker, in the same way. */
export function workerUrl(): string {
  return moduleUrl(`${cellSource()}\n${workerSource()}`);
}

function moduleUrl(source: string): string {
  return `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
}
