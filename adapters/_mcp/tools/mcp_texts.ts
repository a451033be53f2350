/** What the tools of a server write for the model themselves. `{name}` stands for a value, put in literally. */
export interface McpTexts {
  /**
   * Stands for an image, a sound or a file of bytes in a result.
   *
   * By default: `[{mimeType}, {bytes} bytes]`
   */
  readonly bytes: string;
  /**
   * Stands for a link to a resource in a result.
   *
   * By default: `[{name}: {uri}]`
   */
  readonly link: string;
  /**
   * Stands for a part of a result that is of no known type.
   *
   * By default: `[a part of the type {type} cannot be shown]`
   */
  readonly unknownPart: string;
  /**
   * The tool ran, and its result is empty.
   *
   * By default: `(The tool {tool} was executed and returned nothing.)`
   */
  readonly noContent: string;
  /**
   * The server refused the call: there is no such tool there, or its arguments are not valid. `{message}`: its words.
   *
   * By default: `The server refused the call: {message}`
   */
  readonly refused: string;
  /**
   * The call was not sent. `{detail}`: why.
   *
   * By default: `(The tool {tool} was not called, as {detail}.)`
   */
  readonly notCalled: string;
  /**
   * The call may have arrived, and no result came. `{detail}`: why.
   *
   * By default: `(The tool {tool} gave no result, as {detail}. Nobody knows whether it took effect.)`
   */
  readonly inDoubt: string;
}

/** The texts where none are given. */
export const MCP_TEXTS: McpTexts = Object.freeze({
  bytes: "[{mimeType}, {bytes} bytes]",
  link: "[{name}: {uri}]",
  unknownPart: "[a part of the type {type} cannot be shown]",
  noContent: "(The tool {tool} was executed and returned nothing.)",
  refused: "The server refused the call: {message}",
  notCalled: "(The tool {tool} was not called, as {detail}.)",
  inDoubt: "(The tool {tool} gave no result, as {detail}. Nobody knows whether it took effect.)",
});
