import type { PostgresClient } from "../../../stores/postgres.ts";
import { errorInfo } from "../../../types/mod.ts";
import { say } from "../../tasks/say.ts";

/** A database in this process. */
export interface PgliteClient extends PostgresClient {
  close(): Promise<void>;
}

/** A pool of connections to a server. */
export interface PoolClient extends PostgresClient {
  readonly ended: boolean;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

interface PgliteModule {
  readonly PGlite: { create(): Promise<PgliteClient> };
}

interface PgModule {
  readonly default: { readonly Pool: new (options: object) => PoolClient };
}

/** Makes an empty database in this process for tests of something. Absent: npm is out of reach, and a line says so. */
export async function makePglite(tested: string): Promise<PgliteClient | undefined> {
  const specifier = "npm:@electric-sql/pglite@0.5";
  try {
    const { PGlite }: PgliteModule = await import(specifier);
    return await PGlite.create();
  } catch (error) {
    say(`skipped: ${tested} on pglite: ${errorInfo(error).message.split("\n")[0]}`);
  }
}

/** Makes a pool of connections; a connection that breaks while nobody uses it is not heard. */
export async function poolMaker(): Promise<(options: object) => PoolClient> {
  const specifier = "npm:pg@8";
  const { default: pg }: PgModule = await import(specifier);
  return (options) => {
    const pool = new pg.Pool(options);
    pool.on("error", () => {});
    return pool;
  };
}
