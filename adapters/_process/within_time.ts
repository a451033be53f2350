/**
 * Waits for a promise for at most `ms` milliseconds and until the signal aborts. It leaves no timer and no listener
 * behind; the promise itself goes on.
 */
export async function withinTime<T>(
  work: Promise<T>,
  ms: number,
  signal: AbortSignal,
): Promise<T | "timed_out" | "aborted"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = (): void => {};
  const limits = new Promise<"timed_out" | "aborted">((resolve) => {
    timer = setTimeout(() => resolve("timed_out"), ms);
    onAbort = () => resolve("aborted");
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([work, limits]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
