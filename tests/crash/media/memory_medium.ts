import type { LogEntry, RunStore } from "../../../mod.ts";
import { parseLogLine } from "../../../types/mod.ts";
import { leaseClock } from "../../stores/drivers/lease_clock.ts";
import type { Medium, Snapshot } from "./medium.ts";

/**
 * The memory store: its object is what survives the driver. A fork of it is a new object that was given the same
 * entries.
 */
export function memoryMedium(runId: string, held: readonly string[] = []): Medium {
  let lines = held;
  let snapshot: Snapshot | undefined;
  let store: RunStore | undefined;

  function watched(real: RunStore, loaded: Promise<void>): RunStore {
    const write =
      (method: "startRun" | "writeIntent" | "writeOutcome" | "finishRun") =>
      async (runId: string, entry: LogEntry) => {
        await loaded;
        await real[method](runId, entry);
        lines = await real.readRun(runId) ?? [];
        snapshot = undefined;
      };
    return {
      ...real,
      readRun: async (runId) => (await loaded, await real.readRun(runId)),
      startRun: write("startRun"),
      writeIntent: write("writeIntent"),
      writeOutcome: write("writeOutcome"),
      finishRun: write("finishRun"),
    };
  }
  return {
    clock: leaseClock(),
    open(subject) {
      if (store === undefined) {
        const real = subject.memoryStore();
        store = watched(real, load(real, runId, held));
      }
      return store;
    },
    snapshot: () => snapshot ??= snapshotOf(runId, lines),
    dispose() {},
  };
}

async function load(store: RunStore, runId: string, lines: readonly string[]): Promise<void> {
  for (const [i, line] of lines.entries()) {
    const parsed = parseLogLine(line);
    if (!parsed.ok) throw new Error(parsed.reason);
    await (i === 0 ? store.startRun : store.writeOutcome)(runId, parsed.entry);
  }
}

function snapshotOf(runId: string, lines: readonly string[]): Snapshot {
  const survivors = [{
    key: lines.map((line) => line.slice(-20)).join(),
    power: false,
    settled: true,
    size: undefined,
    restore: () => memoryMedium(runId, lines),
  }];
  return { survivors: () => survivors, images: () => [] };
}
