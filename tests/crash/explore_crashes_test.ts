import { assertEquals, assertGreater, assertRejects, assertStringIncludes } from "@std/assert";
import {
  type ActionOutcome,
  defineAgent,
  defineRun,
  type Interpretation,
  type JsonValue,
  type RunRequest,
  type RunStore,
  textMessage,
} from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { type CrashSubject, exploreCrashes } from "../contract/mod.ts";

const DONE: ActionOutcome = {
  status: "executed",
  failed: false,
  observation: "ok",
  observationSynthetic: false,
  completed: false,
  truncatedChars: 0,
};

function interpret(text: string): Interpretation {
  return text === "end"
    ? { decision: { kind: "final_answer", answer: text }, historyText: text }
    : { decision: { kind: "action", actions: [{ action: text }] }, historyText: text };
}

/** Two actions unless told otherwise, then an answer; every part can be replaced. */
function subject(
  execute: (action: JsonValue, world: string[]) => void,
  more: Partial<CrashSubject<string[]>> = {},
  script: readonly string[] = ["one", "two", "end"],
): CrashSubject<string[]> {
  return {
    makeStore: memoryStore,
    makeWorld: () => [],
    effects: (world) => world,
    agent: (store) =>
      defineAgent({
        model: {
          call: ({ callId }) => Promise.resolve({ text: script[Number(callId.at(-1))] ?? "end" }),
          parameters: () => ({}),
        },
        interpreter: { interpret: ({ text }) => interpret(text), parameters: () => ({}) },
        store,
      }),
    request: (world) => requestFor((action) => execute(action, world)),
    ...more,
  };
}

function requestFor(
  execute: (action: JsonValue) => void,
  replay: "never" | "replayable" = "never",
): RunRequest {
  return defineRun({
    runId: "explored",
    budget: { maxSteps: 9, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 9 },
    context: { runLevel: [], goalLevel: [textMessage("user", "Go.")] },
    executor: {
      execute: ({ action }) => (execute(action), Promise.resolve(DONE)),
      replayPolicy: () => replay,
      parameters: () => ({}),
    },
    modelReplayPolicy: "replayable",
  });
}

const write = (action: JsonValue, world: string[]) => void world.push(String(action));

Deno.test("exploreCrashes() finds nothing where no crash changes anything", async () => {
  const { explored, findings } = await exploreCrashes(subject(write));
  assertEquals(findings, []);
  assertGreater(explored, 20);
});

Deno.test("exploreCrashes() crashes each resume as well at depth 2", async () => {
  const { explored } = await exploreCrashes(subject(write, {}, ["one", "end"]));
  const deeper = await exploreCrashes(subject(write, { depth: 2 }, ["one", "end"]));
  assertEquals(deeper.findings, []);
  assertGreater(deeper.explored, explored * 5);
});

Deno.test("exploreCrashes() finds an effect that happens twice", async () => {
  const { findings } = await exploreCrashes(subject(write, {
    request: (world) => requestFor((action) => write(action, world), "replayable"),
  }));
  assertEquals(
    new Set(findings.map(({ fault, detail }) => `${fault} ${detail}`)),
    new Set(["twice one", "twice two"]),
  );
});

Deno.test("exploreCrashes() finds an effect that vanishes", async () => {
  let buffer: string[] = [];
  const { findings } = await exploreCrashes(subject(() => {}, {
    request(world) {
      buffer = [];
      return requestFor((action) => {
        world.push(...buffer);
        buffer = [String(action)];
        if (action === "two") world.push(...buffer);
      });
    },
  }));
  assertEquals(findings[0]?.fault, "vanished");
  assertEquals(findings[0]?.detail, "one");
});

Deno.test("exploreCrashes() finds an entry that a store acknowledged and lost", async () => {
  const { findings } = await exploreCrashes(subject(write, {
    reopen: async (store): Promise<RunStore> => {
      const lines = await store.readRun("explored") ?? [];
      const read = lines.length > 2 ? lines.slice(0, -1) : lines;
      return { ...store, readRun: () => Promise.resolve(read.length === 0 ? null : read) };
    },
  }));
  assertEquals(findings.some(({ fault }) => fault === "lost_entry"), true);
  assertEquals(findings.some(({ fault }) => fault === "stuck"), true);
});

Deno.test("exploreCrashes() finds a run that cannot go on", async () => {
  let processes = 0;
  const plain = subject(write);
  const { findings } = await exploreCrashes({
    ...plain,
    agent(store, world) {
      const agent = plain.agent(store, world);
      const number = String(processes++);
      return { ...agent, model: { ...agent.model, parameters: () => ({ number }) } };
    },
  });
  assertEquals(findings[0]?.fault, "stuck");
  assertStringIncludes(findings[0]!.detail, "ParameterDriftError");
  assertEquals(findings[0]?.crashes.length, 1);
});

Deno.test("exploreCrashes() counts executions where it is not told the effects", async () => {
  const { effects: _, ...blind } = subject(write);
  assertEquals((await exploreCrashes(blind)).findings, []);
});

Deno.test("exploreCrashes() throws what the undisturbed run throws", async () => {
  const plain = subject(write);
  const broken = subject(write, {
    agent: (store, world) => ({
      ...plain.agent(store, world),
      interpreter: {
        interpret: () => {
          throw new Error("cannot read");
        },
        parameters: () => ({}),
      },
    }),
  });
  await assertRejects(() => exploreCrashes(broken), Error, "cannot read");
});
