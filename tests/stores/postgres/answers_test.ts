import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { InvalidRequestError, RunConflictError, StoreFailedError } from "../../../mod.ts";
import {
  type PostgresClient,
  type PostgresRow,
  postgresSchema,
  postgresStore,
} from "../../../stores/postgres.ts";
import { logBuilder } from "../../contract/_log_builder.ts";

const coded = (code: string) => Object.assign(new Error("no"), { code });

/** A client that gives these answers, one after the other. */
function scriptedClient(...answers: (readonly PostgresRow[] | Error)[]): PostgresClient {
  const left = [...answers];
  return {
    query() {
      const answer = left.shift() ?? new Error("one statement too many");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ rows: answer });
    },
  };
}

/** What becomes of the second entry of a run whose statement has this answer, and then the look for it that one. */
async function secondEntry(...answers: (readonly PostgresRow[] | Error)[]): Promise<unknown> {
  const store = postgresStore({ client: scriptedClient([{ run: "1" }], ...answers) });
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  return await store.writeIntent("run", log.next()).then(() => "written", (error) => error);
}

/** What the words of a server, or of a connection, leave open. */
const WORDS: readonly (readonly [code: string, durability: "none" | "unknown"])[] = [
  ["53100", "none"], // disk full
  ["57014", "none"], // statement timed out
  ["40001", "none"], // could not serialize
  ["40003", "unknown"], // statement completion unknown
  ["57P01", "unknown"], // the server stops
  ["57P02", "unknown"], // another backend died
  ["08006", "unknown"], // connection failure
  ["ECONNRESET", "unknown"],
  ["EPIPE", "unknown"],
];

Deno.test("postgresStore() says of a failed write whether nothing of it is kept", async () => {
  for (const [code, durability] of WORDS) {
    const error = await secondEntry(coded(code), []);
    assert(error instanceof StoreFailedError, code);
    assertEquals([code, error.durability], [code, durability]);
  }
});

Deno.test("postgresStore() believes the entry in the database, not the answer", async () => {
  const anothers = [{ run: "1", token: "another" }];
  for (const answer of [coded("08006"), coded("53100"), []]) {
    const error = await secondEntry(answer, anothers, []);
    assert(error instanceof RunConflictError, `${error}`);
  }
  const lost = await secondEntry(coded("08006"), coded("08001"));
  assert(lost instanceof StoreFailedError && lost.durability === "unknown");
  assert(lost.message.includes("08006"), "the first error is the one to tell");
});

Deno.test("postgresStore() takes an answer that is none for a failure", async () => {
  const rows: unknown = undefined;
  const client = { query: () => Promise.resolve({ rows }) } as PostgresClient;
  await assertRejects(() => postgresStore({ client }).readRun("run"), StoreFailedError, "rows");
});

Deno.test("postgresStore() finds a log whose end or middle is gone", async () => {
  const row = { run: "1", driver: "", tail: "c" };
  const [first, second] = [
    { ...row, seq: 0, token: "a", line: "{}" },
    { ...row, seq: 2, token: "c", line: "{}" },
  ];
  for (const rows of [[first], [first, second], [{ ...row, seq: null, token: null }]]) {
    const store = postgresStore({ client: scriptedClient(rows) });
    const { name } = await assertRejects(() => store.readRun("run"), Error);
    assertEquals(name, "RunLogCorruptError");
  }
});

Deno.test("postgresStore() and postgresSchema() refuse what cannot be a schema", () => {
  for (const schema of ["", "A", "a-b", 'a"b', "1a", "a".repeat(64)]) {
    assertThrows(() => postgresSchema(schema), InvalidRequestError);
    const make = () => postgresStore({ client: scriptedClient(), schema });
    assertEquals(assertThrows(make, InvalidRequestError).field, "postgresStore.schema");
  }
  assert(postgresSchema("agents").includes('"agents".polyloop_v1_runs'));
});

Deno.test("postgresStore() takes an answer without a column for a failure, never for a value", async () => {
  const renamed = scriptedClient([{ runId: "run", driver: "", leftMs: 0 }]);
  await assertRejects(
    () => postgresStore({ client: renamed }).listRuns(),
    StoreFailedError,
    "run_id",
  );
  const unnumbered = scriptedClient([{ run_id: "run", driver: "", left_ms: undefined }]);
  await assertRejects(
    () => postgresStore({ client: unnumbered }).listRuns(),
    StoreFailedError,
    "left_ms",
  );
  const error = await secondEntry([{}], [{}]);
  assert(error instanceof StoreFailedError && error.durability === "unknown");
});

Deno.test("postgresStore() takes whole numbers as clients give them", async () => {
  const log = logBuilder("run");
  const lines = [log.start(), log.next()].map(({ line }) => line);
  for (const numbers of [[0, 1], ["0", "1"], [0n, 1n]]) {
    const rows = numbers.map((seq, i) => ({
      ...{ run: "1", driver: "", tail: "t1", seq, token: `t${i}` },
      line: lines[i],
    }));
    assertEquals(await postgresStore({ client: scriptedClient(rows) }).readRun("run"), lines);
  }
});
