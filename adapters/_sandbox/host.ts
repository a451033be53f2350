import { cellSource } from "./cell.ts";
import type { SandboxSignal, SandboxStart } from "./protocol.ts";
import { workerSource } from "./worker.ts";

/**
 * The main thread of the sandbox's process. Code of cells never runs here but in a worker, so that this thread can
 * always see the end of stdin (the parent let go, or died) and the memory that is held, and end the process. Code can
 * write anything to stdout and stderr, but not a signal: it cannot come by the nonce, which is read here before there
 * is a worker. A signal is far shorter than what a pipe takes at once, so that nothing gets into the middle of it.
 */
async function sandboxHost(workerUrl: string): Promise<void> {
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

  const { nonce, maxMemoryBytes }: SandboxStart = JSON.parse(await nextLine());
  const encoder = new TextEncoder();
  const signal = (letter: SandboxSignal): void => {
    try {
      Deno.stderr.writeSync(encoder.encode(nonce + letter));
      Deno.stdout.writeSync(encoder.encode(nonce + letter));
    } catch {
      Deno.exit(0);
    }
  };
  setInterval(() => {
    if (Deno.memoryUsage().rss <= maxMemoryBytes) return;
    signal("m");
    Deno.exit(1);
  }, 20);

  const worker = new Worker(workerUrl, { type: "module" });
  const cells = new MessageChannel();
  const signals = new MessageChannel();
  signals.port1.onmessage = ({ data }) => {
    signal(data);
    if (data === "x") Deno.exit(1);
  };
  worker.postMessage(null, [cells.port2, signals.port2]);
  while (true) cells.port1.postMessage(JSON.parse(await nextLine()));
}

/** The sandbox's program, as the URL of a module. */
export function sandboxProgram(): string {
  const worker = moduleUrl(`${cellSource()}\n${workerSource()}`);
  return moduleUrl(`${sandboxHost}\nsandboxHost(${JSON.stringify(worker)});`);
}

function moduleUrl(source: string): string {
  return `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
}
