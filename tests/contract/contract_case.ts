/** One criterion of a contract. Any test runner can run it. */
export interface ContractCase {
  /** The method and the criterion: a title for the test. */
  readonly name: string;
  /** Resolves if the criterion holds; rejects with an `Error` that says what does not. */
  run(): Promise<void>;
}
