/** Of a block whose end nobody can tell. `{line}`: where it starts; `{innerLine}`: where a fence inside it does. */
export const NESTED_FENCE: string =
  "The fenced block that starts in line {line} has another fence inside it, in line {innerLine}, so nobody can " +
  "tell where it ends, and nothing was done. Use a longer fence around the whole of it, of four backticks.";
