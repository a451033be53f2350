/** What asks a program to end: Ctrl-C, and what `kill`, a service manager or a container sends. */
function stopSignalNames(): readonly Deno.Signal[] {
  return Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
}

/** Listens until it is told to stop. */
export interface StopSignals {
  /** Aborts when this process is asked to end. */
  readonly signal: AbortSignal;
  /** Listens no more. */
  stop(): void;
}

/** Has the first request to end abort a signal; the second ends the process as if nobody had listened. */
export function stopSignals(onFirst: () => void): StopSignals {
  const names = stopSignalNames();
  const controller = new AbortController();
  const listener = () => {
    stop();
    onFirst();
    controller.abort(new DOMException("interrupted", "AbortError"));
  };
  const stop = () => {
    for (const name of names) Deno.removeSignalListener(name, listener);
  };
  for (const name of names) Deno.addSignalListener(name, listener);
  return { signal: controller.signal, stop };
}
