/**
 * Every text that the executor of a {@link ToolRegistry} writes for the model. A word in braces is replaced by what
 * it names, literally; other braces stay.
 */
export interface ToolTexts {
  /**
   * The action does not have the form of one.
   *
   * By default: `The action was not executed: it must be {"tool": <name>, "arguments": <value>}, but {detail}.`
   */
  readonly malformedAction: string;
  /**
   * No tool has that name. A run tells it in its own words, by the synthetic observation `toolNotVisible`.
   *
   * By default: `The action was not executed: there is no tool {tool}. The tools are: {tools}.`
   */
  readonly unknownTool: string;
  /**
   * The arguments do not fit the tool's schema; `{violations}` has a line for each place.
   *
   * By default: `"The action was not executed: the arguments of {tool} are not valid.\n{violations}"`
   */
  readonly invalidArguments: string;
  /**
   * The line for one place of the arguments.
   *
   * By default: `- at "{pointer}" ({rule}): expected {expected}, found {found}`
   */
  readonly violation: string;
  /**
   * The tool threw an error.
   *
   * By default: `{name}: {message}`
   */
  readonly error: string;
  /**
   * The tool ran and returned nothing.
   *
   * By default: `(The tool {tool} was executed and returned nothing.)`
   */
  readonly noResult: string;
  /**
   * The tool took longer than it may and did not end when it was told to.
   *
   * By default: `(The tool {tool} was given up after {timeoutMs} ms. Nobody knows whether it took effect.)`
   */
  readonly timedOut: string;
  /**
   * The tool ran and returned what JSON cannot carry: it failed.
   *
   * By default: `(The tool {tool} was executed, but its result cannot be shown: {detail}.)`
   */
  readonly unshowableResult: string;
  /**
   * Put in the place of what was cut out of an observation, on a line of its own; not counted in its limit. Empty: no
   * notice.
   *
   * By default: `"\n[{truncatedChars} more characters were cut off]"`
   */
  readonly truncationNotice: string;
}

/** The texts where none are given. */
export const TOOL_TEXTS: ToolTexts = Object.freeze({
  malformedAction:
    `The action was not executed: it must be {"tool": <name>, "arguments": <value>}, but {detail}.`,
  unknownTool: "The action was not executed: there is no tool {tool}. The tools are: {tools}.",
  invalidArguments:
    "The action was not executed: the arguments of {tool} are not valid.\n{violations}",
  violation: `- at "{pointer}" ({rule}): expected {expected}, found {found}`,
  error: "{name}: {message}",
  noResult: "(The tool {tool} was executed and returned nothing.)",
  timedOut:
    "(The tool {tool} was given up after {timeoutMs} ms. Nobody knows whether it took effect.)",
  unshowableResult: "(The tool {tool} was executed, but its result cannot be shown: {detail}.)",
  truncationNotice: "\n[{truncatedChars} more characters were cut off]",
});
