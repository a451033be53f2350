/** What asks a program to end: Ctrl-C, and what `kill`, a service manager or a container sends. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/** Listens until it is disposed of. */
export interface StopSignals extends Disposable {
  /** Aborts when this process is asked to end. */
  readonly signal: AbortSignal;
}

/** Has the first request to end abort a signal; the second ends the process as if nobody had listened. */
export function stopSignals(onFirst: () => void): StopSignals {
  const controller = new AbortController();
  const listener = () => {
    dispose();
    onFirst();
    controller.abort(new DOMException("interrupted", "AbortError"));
  };
  const dispose = () => {
    for (const name of SIGNALS) Deno.removeSignalListener(name, listener);
  };
  for (const name of SIGNALS) Deno.addSignalListener(name, listener);
  return { signal: controller.signal, [Symbol.dispose]: dispose };
}
