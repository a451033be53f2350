import { type DecodedEntry, decodeLog } from "../../logic/serialization/mod.ts";
import { readLog } from "../../session/mod.ts";
import { libraryRuns, logOf } from "./bench_runs.ts";
import { countedStore, utf8Length } from "./counted_stores.ts";
import type { Effort, Row } from "./measure.ts";

/** What is counted, not timed: bytes and barriers of a step, syncs that concurrent runs share. */
export async function sizeRows(_effort: Effort): Promise<readonly Row[]> {
  const sizes = stepSizes(await logOf(1_000));
  const { logBytes, recordBytes } = sizes[500]!;
  return [
    {
      name: "log: bytes of a step ÷ its encoded StepRecord",
      value: logBytes / recordBytes,
      unit: "ratio",
      goal: { atMost: 1.5 },
      detail: `${logBytes} ÷ ${recordBytes} bytes`,
    },
    {
      name: "log: bytes of step 998 ÷ bytes of step 100",
      value: sizes[998]!.logBytes / sizes[100]!.logBytes,
      unit: "ratio",
      goal: { atMost: 1.01 },
      detail: `${sizes[998]!.logBytes} ÷ ${sizes[100]!.logBytes} bytes`,
    },
    await syncsRow(1, 100),
    await syncsRow(64, 20, 0.15),
    await syncsRow(200, 20, 0.15),
  ];
}

/** The size of one step in its log, and of its record. */
export interface StepSize {
  /** The bytes of the lines of the entries that belong to it. */
  readonly logBytes: number;
  readonly recordBytes: number;
}

/** The sizes of the steps of a log. */
export function stepSizes(lines: readonly string[]): readonly StepSize[] {
  const log = readLog(lines);
  const bytes = log.steps.map(() => 0);
  decodeLog(log.runId, lines).forEach((entry, i) => {
    const stepIndex = stepOf(entry);
    if (stepIndex !== undefined) bytes[stepIndex]! += utf8Length(lines[i]!) + 1;
  });
  return log.steps.map((step, i) => ({
    logBytes: bytes[i]!,
    recordBytes: utf8Length(JSON.stringify(step)),
  }));
}

function stepOf({ records }: DecodedEntry): number | undefined {
  const [first] = records;
  return first !== undefined && "stepIndex" in first ? first.stepIndex : undefined;
}

async function syncsRow(concurrency: number, steps: number, atMost?: number): Promise<Row> {
  const folder = Deno.makeTempDirSync();
  const { store, counts, syncs, close } = await countedStore("sqlite", folder);
  try {
    await libraryRuns(store, steps, concurrency);
    const total = steps * concurrency;
    return {
      name: `sqlite: syncs of ${concurrency} concurrent run${concurrency === 1 ? "" : "s"}`,
      value: syncs() / total,
      unit: "per step",
      ...(atMost !== undefined && { goal: { atMost } }),
      detail: `${syncs()} syncs for ${counts.barriers} barriers in ${total} steps`,
    };
  } finally {
    close();
    Deno.removeSync(folder, { recursive: true });
  }
}
