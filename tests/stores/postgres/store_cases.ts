import type { RunStore } from "@polyloop/polyloop";
import { type ContractCase, storeContract } from "@polyloop/polyloop/contract";
import {
  type PostgresClient,
  postgresSchema,
  postgresStore,
} from "@polyloop/polyloop/stores/postgres";
import type { RunCatalog } from "@polyloop/polyloop/types";
import { leaseClock } from "../drivers/lease_clock.ts";
import { type ClientFaults, faultyClient } from "./faulty_client.ts";

type Store = RunStore & RunCatalog;

/** A database with an empty schema that has the store's tables. */
export interface Database {
  readonly client: PostgresClient;
  readonly schema: string;
}

/** Makes a schema of its own with the store's tables. */
export async function newSchema(client: PostgresClient): Promise<Database> {
  const schema = `s${crypto.randomUUID().replaceAll("-", "")}`;
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(postgresSchema(schema));
  return { client, schema };
}

interface Place {
  readonly database: Database;
  readonly faults: ClientFaults;
}

/** The contract of a store over a database, in a schema of its own for each case. */
export function postgresContract(makeDatabase: () => Promise<Database>): readonly ContractCase[] {
  const places = new WeakMap<Store, Place>();

  function openAt(database: Database): Store {
    const faults: ClientFaults = { statements: [] };
    const client = faultyClient(database.client, faults);
    const { schema } = database;
    const store = postgresStore({ client, schema, every: leaseClock().every });
    places.set(store, { database, faults });
    return store;
  }
  const openAgain = (store: Store) => openAt(places.get(store)!.database);

  return storeContract<Store>({
    makeStore: async () => openAt(await makeDatabase()),
    catalog: (store) => store,
    reopen: openAgain,
    crash: openAgain,
    openBeside: openAgain,
    async letLeasesEnd(store) {
      const { client, schema } = places.get(store)!.database;
      await client.query(`UPDATE ${schema}.polyloop_v1_runs SET lease_until = clock_timestamp()`);
    },
    failNextWrite(store) {
      const { faults } = places.get(store)!;
      faults.onChange = () => {
        delete faults.onChange;
        return Promise.reject(Object.assign(new Error("disk full"), { code: "53100" }));
      };
    },
    loseNextAnswer(store) {
      const { faults } = places.get(store)!;
      faults.onChange = async (run) => {
        delete faults.onChange;
        await run();
        throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      };
    },
    async dispose(store) {
      const { client, schema } = places.get(store)!.database;
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  });
}
