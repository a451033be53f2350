/** How long work may take, and to settle once it was told to stop; in milliseconds. */
export interface TimeLimit {
  readonly timeoutMs: number;
  readonly settleMs: number;
}

/**
 * Does work with a signal of its own, which aborts with the one that is given, and where the work takes too long.
 * Nothing is given where it does not settle then either: it was given up, and may go on. Rejects as the work does. No
 * timer outlives the abort for longer than work has to settle.
 *
 * @param tooLong What the signal aborts with where the time is over.
 */
export async function withinLimit<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { timeoutMs, settleMs }: TimeLimit,
  signal: AbortSignal,
  tooLong: unknown,
): Promise<{ readonly value: T } | undefined> {
  const own = new AbortController();
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<undefined>();
  const end = (reason: unknown) => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, settleMs, undefined);
    own.abort(reason);
  };
  const follow = () => end(signal.reason);
  let timer = setTimeout(end, timeoutMs, tooLong);
  signal.addEventListener("abort", follow);
  if (signal.aborted) follow();
  try {
    const settled = (async () => ({ value: await work(own.signal) }))();
    return await Promise.race([settled, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", follow);
  }
}
