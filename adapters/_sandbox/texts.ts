/** What a `codeSandbox` writes for the model. `{name}` stands for a value, put in literally. */
export interface CodeSandboxTexts {
  /** The action is not `{ language, code }`, or has another language. `{languages}`: those that there are. */
  readonly badAction: string;
  /** The code wrote nothing and has no value. */
  readonly noOutput: string;
  /** Goes before what was written to stderr. */
  readonly stderr: string;
  /** Stands in the place of what was cut out of an output. `{truncatedChars}`: how many code points. */
  readonly truncationNotice: string;
  /** The code took too long. `{ms}`: the limit in milliseconds. */
  readonly timedOut: string;
  /** The code held too much memory. `{mb}`: the limit in MiB. */
  readonly outOfMemory: string;
  /** The sandbox was ended as there is a way out of what code may touch. `{way}`: which. */
  readonly wayOut: string;
  /** The code ended the sandbox itself. */
  readonly exited: string;
  /** The sandbox's process died while the code ran. */
  readonly died: string;
  /** The sandbox was found dead before the code could run. */
  readonly foundDead: string;
}

const LOST = "All variables and functions of earlier code are lost; the next code starts anew.";

/** The texts of a `codeSandbox` where none are given. */
export const CODE_SANDBOX_TEXTS: CodeSandboxTexts = Object.freeze({
  badAction:
    'The action must be {"language", "code"} with strings, and one of the languages {languages}. Nothing was run.',
  noOutput: "(no output)",
  stderr: "[stderr]",
  truncationNotice: "[{truncatedChars} more characters were cut off]",
  timedOut: `[The code was stopped as it ran for more than {ms} ms. ${LOST}]`,
  outOfMemory: `[The code was stopped as it held more than {mb} MiB of memory. ${LOST}]`,
  wayOut: `[The sandbox was ended as {way}. ${LOST}]`,
  exited: `[The code ended its own process. ${LOST}]`,
  died: `[The sandbox died while the code ran. ${LOST}]`,
  foundDead: `[The sandbox died before the code could run. The code was not run. ${LOST}]`,
});
