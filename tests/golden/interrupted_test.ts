import { assert, assertEquals } from "@std/assert";
import { resume, type RunStore } from "../../mod.ts";
import { parseLogLine } from "../../types/mod.ts";
import { readLog, rebuildPrompt, verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { INTERRUPTED_RUNS, interruptedRun } from "./interrupted_runs.ts";

interface Known {
  readonly head: string;
  readonly actions: string;
  readonly end: string;
}

/** What each log says, for ever. */
const KNOWN: Readonly<Record<string, Known>> = {
  denied: {
    head: "sha256:ada2fe61ef7bfaed90fe042932b86189ff7afad0889480304a62d7227e2ef2ec",
    actions: "executed not_executed executed, environment_failed not_executed, executed",
    end: "tool_completed",
  },
  crashed: {
    head: "sha256:862224a6460342539f8cebe147a294be1fbb78adac5fdaa883c52f1e91b42d3e",
    actions: "executed, ",
    end: "awaits action_result",
  },
  cancelled: {
    head: "sha256:3c187b031a998bf95c8f718668b66e8ea54c99ac2dd021f86de4c4a324046e65",
    actions: "executed unknown not_executed",
    end: "cancelled",
  },
};

const SCHEMAS = ["1.0"];

async function linesOf(schema: string, name: string): Promise<readonly string[]> {
  const url = new URL(`logs/${schema}/${name}.jsonl`, import.meta.url);
  return (await Deno.readTextFile(url)).trimEnd().split("\n");
}

/** A store that holds these entries of a run. */
async function holding(runId: string, lines: readonly string[]): Promise<RunStore> {
  const store = memoryStore();
  for (const [seq, line] of lines.entries()) {
    const parsed = parseLogLine(line);
    assert(parsed.ok);
    await (seq === 0 ? store.startRun : store.writeOutcome)(runId, parsed.entry);
  }
  return store;
}

for (const schema of SCHEMAS) {
  for (const name of Object.keys(INTERRUPTED_RUNS)) {
    Deno.test(`logs/${schema}/${name}.jsonl reads, verifies, and gives its prompts`, async () => {
      const lines = await linesOf(schema, name);
      const log = readLog(lines);
      const verdict = verifyLog(lines);
      assert(verdict.ok, verdict.fault?.message);
      log.callEntries.forEach((_, i) => rebuildPrompt(log, i));
      const actions = [...log.steps, ...(log.open === undefined ? [] : [log.open])]
        .map((step) => step.actions.map(({ status }) => status).join(" "));
      const end = log.finished?.stopReason ?? `awaits ${log.open?.awaits}`;
      assertEquals({ head: log.logHead, actions: actions.join(", "), end }, { ...KNOWN[name]! });
    });

    Deno.test(`logs/${schema}/${name}.jsonl resumes from every entry, and keeps what is recorded`, async () => {
      const lines = await linesOf(schema, name);
      for (let length = 1; length <= lines.length; length++) {
        const recorded = lines.slice(0, length);
        const store = await holding(`golden-${name}`, recorded);
        const { agent, request, options } = interruptedRun(name, store, () => Promise.resolve());
        const { stopReason, logHead } = await resume(agent, request, { now: Date.now, ...options });
        const after = (await store.readRun(request.runId))!;
        assertEquals(after.slice(0, length), recorded);
        assert(verifyLog(after).ok);
        const finished = readLog(recorded).finished;
        if (finished !== undefined) {
          assertEquals([stopReason, logHead], [finished.stopReason, KNOWN[name]!.head]);
        }
      }
    });
  }
}
