import type { PostgresClient } from "@polyloop/polyloop/stores/postgres";

type Answer = Awaited<ReturnType<PostgresClient["query"]>>;

/** What a client of {@link faultyClient} does beside its work. */
export interface ClientFaults {
  /** The text of every statement, in order. */
  readonly statements: string[];
  /** Called instead of a statement that changes something; `run` is the real one. */
  onChange?: (run: () => Promise<Answer>) => Promise<Answer>;
}

/** A client with faults put in between. */
export function faultyClient(client: PostgresClient, faults: ClientFaults): PostgresClient {
  return {
    async query(text, values) {
      faults.statements.push(text);
      const run = () => client.query(text, values);
      if (
        faults.onChange === undefined ||
        !/\b(?:INSERT|UPDATE|DELETE|polyloop_v1_append)\b/.test(text)
      ) {
        return await run();
      }
      return await faults.onChange(run);
    },
  };
}
