/** An error as a record keeps it. */
export interface ErrorInfo {
  /** The error's name, such as `TypeError`. */
  readonly name: string;
  /** Its message. */
  readonly message: string;
}

/** What a record keeps of something that was thrown, whatever it is. Never throws. */
export function errorInfo(thrown: unknown): ErrorInfo {
  try {
    if (thrown instanceof Error) {
      return { name: String(thrown.name), message: String(thrown.message) };
    }
    return { name: typeof thrown, message: String(thrown) };
  } catch {
    return { name: typeof thrown, message: "(it cannot be shown as text)" };
  }
}
