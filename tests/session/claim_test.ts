import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  InvalidRequestError,
  resume,
  run,
  RunLockedError,
  type RunOptions,
  type RunStore,
  StoreFailedError,
} from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  never,
  now,
  rejection,
  requestOf,
  shapeOf,
  tellingStore,
  wordExecutor,
} from "./world.ts";
import { withShortWaits } from "./short_waits.ts";

const SCRIPT = ["do a", "answer 1"];

/** A run that has a lock, and all that it asks and tells, in order. */
interface Watched {
  readonly inner: RunStore;
  readonly store: RunStore;
  readonly asked: string[];
  /** What a claim comes to. */
  onClaim: (head: string) => Promise<void>;
}

function watched(inner: RunStore): Watched {
  const telling = tellingStore(inner);
  const { asked } = telling;
  const made: Watched = {
    inner,
    asked,
    onClaim: () => Promise.resolve(),
    store: {
      ...telling,
      claimRun: (_, head) => (asked.push("claimRun"), made.onClaim(head)),
      breakLease: () => Promise.resolve(void asked.push("breakLease")),
    },
  };
  return made;
}

/** Drives the run of a script by a verb; the options are watched, too. */
function drive({ store, asked }: Watched, verb: typeof run, more: RunOptions = {}) {
  const tell = (name: string) => void asked.push(name);
  const agent = agentOf(SCRIPT, {
    store,
    events: { emit: ({ type }) => tell(type), parameters: () => ({}) },
  });
  return verb(agent, requestOf(), {
    now,
    resolveUnknownAction: { id: "human", resolve: () => (tell("resolve"), { kind: "unknown" }) },
    ...more,
  });
}

/** A run that died during its first action. */
async function deadDuringAction(): Promise<Watched> {
  const store = memoryStore();
  const died = Promise.withResolvers<void>();
  const executor = wordExecutor(() => (died.resolve(), never()));
  void run(agentOf(SCRIPT, { store }), requestOf({ executor }), { now });
  await died.promise;
  return watched(store);
}

Deno.test("resume() claims a run where its log ends, before it asks or tells anything", async () => {
  const world = await deadDuringAction();
  const lines = (await world.inner.readRun("r"))!;
  let claimed = "";
  world.onClaim = (head) => Promise.resolve(void (claimed = head));
  assertEquals((await drive(world, resume)).answer, "1");
  assertEquals(claimed, JSON.parse(lines.at(-1)!).hash);
  assertEquals(world.asked.slice(0, 2), ["readRun", "claimRun"]);
  for (const told of ["run_resumed", "resolve"]) assertEquals(world.asked.includes(told), true);
  assertEquals(world.asked.filter((it) => it === "claimRun").length, 1);
});

Deno.test("resume() of a locked run asks nobody, tells nothing, writes nothing, releases nothing", async () => {
  const world = await deadDuringAction();
  const before = await world.inner.readRun("r");
  const locked = new RunLockedError("r", "its lease lasts", { until: 5 });
  world.onClaim = () => Promise.reject(locked);
  assertEquals(await rejection(drive(world, resume)), locked);
  assertEquals(world.asked, ["readRun", "claimRun"]);
  assertEquals(await world.inner.readRun("r"), before);
});

Deno.test("resume() breaks a lease for takeOver alone, and then claims the run", async () => {
  const verbs: readonly (readonly [typeof run, RunOptions])[] = [[resume, {}], [run, {
    existing: "resume",
  }]];
  for (const [verb, options] of verbs) {
    const world = await deadDuringAction();
    await drive(world, verb, { ...options, takeOver: true });
    assertEquals(world.asked.slice(0, 3), ["readRun", "breakLease", "claimRun"]);
  }
  const { store } = await deadDuringAction();
  const { breakLease: _, claimRun: __, ...bare } = store;
  assertEquals(
    (await resume(agentOf(SCRIPT, { store: bare }), requestOf(), { now, takeOver: true })).answer,
    "1",
  );
});

Deno.test("run() of a new run claims nothing, nor does resume() of a finished one", async () => {
  const world = watched(memoryStore());
  await drive(world, run, { takeOver: true });
  await drive(world, resume, { takeOver: true });
  assertEquals(world.asked.filter((it) => /claimRun|breakLease/.test(it)), []);
});

Deno.test("resume() lets go of a run that it claimed and did not write to", async () => {
  const world = await deadDuringAction();
  const failing = { id: "human", resolve: () => Promise.reject(new Error("nobody answers")) };
  await assertRejects(
    () => drive(world, resume, { resolveUnknownAction: failing }),
    Error,
    "nobody answers",
  );
  assertEquals(world.asked.filter((it) => it === "releaseRun").length, 1);
  assertEquals(shapeOf(await world.inner.readRun("r")).length, 3);
});

Deno.test("resume() lets go of a run whose claim comes after it was given up", () =>
  withShortWaits(async () => {
    const world = await deadDuringAction();
    const stop = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.onClaim = () => (stop.abort("enough"), promise);
    const error = await assertRejects(
      () => drive(world, resume, { signal: stop.signal }),
      StoreFailedError,
    );
    assertEquals([error.action, error.durability, error.cause], ["write", "none", "enough"]);
    assertEquals(world.asked, ["readRun", "claimRun"]);
    resolve();
    for (let turn = 0; turn < 100; turn++) await null;
    assertEquals(world.asked, ["readRun", "claimRun", "releaseRun"]);
  }));

Deno.test("defineAgent() refuses a store whose claims cannot be called", () => {
  for (const name of ["claimRun", "breakLease"]) {
    const store = { ...memoryStore(), [name]: true };
    const error = assertThrows(() => agentOf(SCRIPT, { store }), InvalidRequestError, name);
    assertEquals(error.field, "store");
  }
});
