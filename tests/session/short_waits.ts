/** For as long as something lasts, has timers of a second, which the library gives no option for, end after 10 ms. */
export async function withShortWaits<T>(use: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis;
  const shorter = (...[then, ms, ...args]: Parameters<typeof setTimeout>) =>
    setTimeout(then, ms === 1_000 ? 10 : ms, ...args);
  globalThis.setTimeout = shorter as typeof setTimeout;
  try {
    return await use();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}
