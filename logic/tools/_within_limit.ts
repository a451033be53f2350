/** How long work may take, and to settle once it was told to stop; in milliseconds. */
export interface TimeLimit {
  readonly timeoutMs: number;
  readonly settleMs: number;
}

/**
 * Does work with a signal of its own, which aborts with the one that is given, and where the work takes too long.
 * Nothing is given where it does not settle then either: it was given up, and may go on. Rejects as the work does.
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
  const follow = () => own.abort(signal.reason);
  signal.addEventListener("abort", follow);
  if (signal.aborted) follow();
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<undefined>();
  let timer = setTimeout(() => {
    timer = setTimeout(giveUp, settleMs, undefined);
    own.abort(tooLong);
  }, timeoutMs);
  try {
    const settled = Promise.try(work, own.signal).then((value) => ({ value }));
    return await Promise.race([settled, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", follow);
  }
}
