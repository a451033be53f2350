/** One thing that is wrong with a value, as a schema sees it. */
export interface SchemaViolation {
  /** The JSON pointer of the part of the value; the empty string for the whole value. */
  readonly pointer: string;
  /**
   * The keyword that it breaks, such as `type` or `required`; `limit` where validation stopped because a limit was
   * reached, so that the list may not be whole.
   */
  readonly rule: string;
  /** What the schema asks for. */
  readonly expected: string;
  /** What is there: a string, number, boolean or null as JSON, an array or object by its size. */
  readonly found: string;
  /** The JSON pointer of the keyword in the schema. Absent: no single keyword is meant. */
  readonly schemaPointer?: string;
}
