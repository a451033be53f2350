/** Why a request came to nothing between here and a server. */
export class McpFault extends Error {
  /** Whether the server may have got the request: nobody knows then what it did. */
  readonly mayHaveArrived: boolean;

  /** Makes one; its message goes on after "as". */
  constructor(message: string, options: { readonly mayHaveArrived: boolean }) {
    super(message);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** The fault of a request that may have arrived. */
export function lost(message: string): McpFault {
  return new McpFault(message, { mayHaveArrived: true });
}

/** The fault of a request that was not sent. */
export function notSent(message: string): McpFault {
  return new McpFault(message, { mayHaveArrived: false });
}

/** What a fault says after the caller's `close()`. */
export const CLOSED = "the connection is closed";
