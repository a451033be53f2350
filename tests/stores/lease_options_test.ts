import { assert, assertEquals, assertThrows } from "@std/assert";
import { kvStore } from "../../stores/kv.ts";
import { postgresStore } from "../../stores/postgres.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { InvalidRequestError, type LeaseOptions } from "../../types/mod.ts";

const WRONG: readonly (readonly [keyof LeaseOptions, unknown])[] = [
  ...[-1, 0.5, NaN, Infinity, 2_147_483_648, "30000", null].map((value) =>
    ["leaseMs", value] as const
  ),
  ...["", 5, null].map((value) => ["leaseOwner", value] as const),
  ...[5, null, {}].flatMap((value) => [["now", value], ["every", value]] as const),
];

Deno.test("sqliteStore(), kvStore() and postgresStore() refuse leases that are none, and name the nearest option", async () => {
  using kv = await Deno.openKv(":memory:");
  const makers: Readonly<Record<string, (leases: object) => unknown>> = {
    sqliteStore: (leases) => sqliteStore({ path: "runs.db", ...leases }),
    postgresStore: (leases) =>
      postgresStore({ client: { query: () => Promise.resolve({ rows: [] }) }, ...leases }),
    kvStore: (leases) => kvStore({ kv, ...leases }),
  };
  for (const [name, make] of Object.entries(makers)) {
    for (const [field, value] of WRONG) {
      const error = assertThrows(() => make({ [field]: value }), InvalidRequestError);
      assertEquals(error.field, `${name}.${field}`);
    }
    const slip = assertThrows(() => make({ leaseMS: 1 }), InvalidRequestError, '"leaseMs"');
    assertEquals(slip.field, `${name}.leaseMS`);
    assert(make({ leaseMs: 0, leaseOwner: "host", now: Date.now }));
  }
});
