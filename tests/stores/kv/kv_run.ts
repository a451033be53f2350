import { kvStore } from "../../../stores/kv.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { faultyKv, type KvFaults } from "../drivers/kv_faults.ts";

/** A store over a real database in memory, with a run in it that has two entries. */
export async function withRun(
  body: (
    given: {
      kv: Deno.Kv;
      faults: KvFaults;
      store: ReturnType<typeof kvStore>;
      log: ReturnType<typeof logBuilder>;
    },
  ) => Promise<void>,
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const faults: KvFaults = { commits: [] };
  const store = kvStore({ leaseMs: 0, kv: faultyKv(kv, faults) });
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  await store.writeIntent("run", log.next());
  faults.commits.length = 0;
  await body({ kv, faults, store, log });
}

/** The keys in a database, in order. */
export async function keys(kv: Deno.Kv): Promise<Deno.KvKey[]> {
  const found: Deno.KvKey[] = [];
  for await (const { key } of kv.list({ prefix: [] })) found.push(key);
  return found;
}

/** A text that takes many chunks. */
export const LARGE: string = JSON.stringify("🌊".repeat(200_000));
