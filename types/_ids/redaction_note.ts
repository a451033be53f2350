/** By what rules texts of a log were hidden: how many, never what they say, since a pattern may be the secret itself. */
export interface RedactionRulesNote {
  /** How many patterns there were. */
  readonly patterns: number;
  /** How many JSON pointers there were. */
  readonly pointers: number;
  /** Whether the markers are made with a key: without it nobody can guess what stood there. */
  readonly keyed: boolean;
  /** Whether digests of what the log held are still in it. */
  readonly digests: "keep" | "drop";
}

/** What a redacted log was made from. */
export interface RedactionNote {
  /** The hash of the last entry of the log that it was made from. */
  readonly logHead: string;
  /** The rules that it was made by. */
  readonly rules: RedactionRulesNote;
}
