/** What the deepest cause of an error says: `fetch` itself only says that it failed. */
export function deepestCause(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? deepestCause(error.cause)
    : String(error);
}
