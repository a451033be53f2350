import { existsSync } from "node:fs";
import { postgresSchema } from "../../../stores/postgres.ts";
import { say } from "../../tasks/say.ts";
import { type PoolClient, poolMaker } from "./npm_clients.ts";

/** Where Debian's package `postgresql` has the programs of a server. */
const PROGRAMS = "/usr/lib/postgresql";

/** Whether a server can be started here; says so where it cannot. */
export function hasServer(): boolean {
  if (existsSync(PROGRAMS)) return true;
  say(`skipped: PostgreSQL on a server: Debian's package postgresql is not here (${PROGRAMS})`);
  return false;
}

/** Whether the tests that need a server are run: `deno task postgres` means them. */
const isServerMeant = Deno.args.includes("--server") && hasServer();

/** A PostgreSQL server of one's own, in a folder of its own. */
export interface PostgresServer extends AsyncDisposable {
  /** What a client needs to connect. */
  readonly url: string;
  /** A pool of connections, which is closed with the server. */
  pool(options?: object): PoolClient;
  start(): Promise<void>;
  /** Stops it: at once, as by a power cut of the machine's processes, or as it should be. */
  stop(mode: "immediate" | "fast"): Promise<void>;
  /** Makes a folder its user's own. */
  own(dir: string): Promise<void>;
}

const USER = "postgres";

/** The folder of the newest server's programs. */
function programs(): string {
  const versions = [...Deno.readDirSync(PROGRAMS)].map(({ name }) => Number(name)).sort((a, b) =>
    b - a
  );
  return `${PROGRAMS}/${versions[0]}/bin`;
}

/** Runs a program as a user who is not root, which a server demands. */
async function asUser(program: string, ...args: string[]): Promise<void> {
  const isRoot = Deno.uid() === 0;
  // A server that is started keeps what it inherited: a pipe would never end.
  const { success } = await new Deno.Command(isRoot ? "runuser" : program, {
    args: isRoot ? ["-u", USER, "--", program, ...args] : args,
    cwd: "/tmp",
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${program} failed`);
}

/** A port that nobody has right now. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/**
 * What the server is told beside its place: nothing happens in it by itself, so that what was not made durable by a
 * commit is not.
 */
const SETTINGS = [
  ...["listen_addresses=127.0.0.1", "max_connections=200", "wal_writer_delay=10s"],
  ...["autovacuum=off", "checkpoint_timeout=1h", "track_wal_io_timing=off"],
];

/** Starts a server on loopback. */
export async function startServer(): Promise<PostgresServer> {
  const makePool = await poolMaker();
  const bin = programs();
  const dir = Deno.makeTempDirSync();
  Deno.chmodSync(dir, 0o777);
  const data = `${dir}/data`;
  await asUser(`${bin}/initdb`, "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale");
  const port = freePort();
  const options = [`-p ${port} -k ${dir}`, ...SETTINGS.map((set) => `-c ${set}`)].join(" ");
  const pools: PoolClient[] = [];
  let isRunning = false;
  const server: PostgresServer = {
    url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    pool(given = {}) {
      const pool = makePool({ connectionString: server.url, ...given });
      pools.push(pool);
      return pool;
    },
    async start() {
      await asUser(`${bin}/pg_ctl`, "-D", data, "-l", `${dir}/log`, "-o", options, "-w", "start");
      isRunning = true;
    },
    async stop(mode) {
      isRunning = false;
      await asUser(`${bin}/pg_ctl`, "-D", data, "-m", mode, "-w", "stop");
    },
    async own(dir) {
      const { success } = await new Deno.Command("chown", { args: [USER, dir] }).output();
      if (!success) throw new Error(`chown ${dir} failed`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.filter(({ ended }) => !ended).map((pool) => pool.end()));
      if (isRunning) await server.stop("immediate");
      Deno.removeSync(dir, { recursive: true });
    },
  };
  await server.start();
  return server;
}

/** Defines a test that has a server of its own; without `deno task postgres` it is skipped. */
export function serverTest(name: string, body: (server: PostgresServer) => Promise<void>): void {
  Deno.test({
    name: `postgresStore() on a server ${name}`,
    ignore: !isServerMeant,
    // The client of others takes a moment to let go of its sockets.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using server = await startServer();
      const setup = server.pool();
      await setup.query(postgresSchema());
      await setup.end();
      await body(server);
    },
  });
}
