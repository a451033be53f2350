import { hash } from "node:crypto";
import { PromptAssembly } from "../../logic/_assembly/mod.ts";
import { compileSchema } from "../../logic/tools/mod.ts";
import { countCodePoints, digest } from "../../types/mod.ts";
import { decodeLog, encodeEntry } from "../../logic/serialization/mod.ts";
import { readLog } from "../../session/mod.ts";
import { logOf } from "./bench_runs.ts";
import { type Effort, microseconds, processorMs, race, type Raced, type Row } from "./measure.ts";

const TIMES = 1_000;

/** The parts that a step is made of, each against the least that must be done for the same result. */
export async function logicRows({ rounds }: Effort): Promise<readonly Row[]> {
  const lines = await logOf(TIMES);
  return [
    await assemblyRow(lines, rounds),
    await codecRow("encode an entry ÷ JSON.stringify and hash", rounds, ...encoding(lines)),
    await codecRow("decode an entry ÷ JSON.parse and hash", rounds, ...decoding(lines)),
    await schemaRow(rounds),
    await codePointsRow("ASCII", "the quick brown fox ", rounds),
    await codePointsRow("CJK", "敏捷的棕色狐狸跳过了懒狗", rounds),
    await codePointsRow("emoji", "🌊🦊🚀", rounds),
  ];
}

async function assemblyRow(lines: readonly string[], rounds: number): Promise<Row> {
  const { steps } = readLog(lines);
  const texts = steps.flatMap(({ historyText, actions }) => [
    { role: "assistant", text: historyText },
    ...actions.map(({ observation }) => ({ role: "user", text: observation })),
  ]);
  const best = await race(processorMs, rounds, () => {
    const assembly = new PromptAssembly({
      context: { runLevel: [], goalLevel: [] },
      injections: {},
      protocol: "text",
      template: ["", ""],
      historySteps: 0,
    });
    steps.forEach((step) => assembly.addStep(step));
  }, () => {
    let chain = "";
    for (const { role, text } of texts) {
      chain = hash("sha256", chain + JSON.stringify({ content: [{ text, type: "text" }], role }));
    }
  });
  return row("assemble a step's messages ÷ JSON.stringify and hash", best, steps.length);
}

type Sides = readonly [subject: () => unknown, floor: () => unknown, count: number];

function encoding(lines: readonly string[]): Sides {
  const entries = decodeLog("run-0", lines).map(({ records }) => records);
  const prev = digest("");
  return [
    () => entries.forEach((records, seq) => encodeEntry(seq, prev, records)),
    () => entries.forEach((records) => hash("sha256", JSON.stringify(records))),
    lines.length,
  ];
}

function decoding(lines: readonly string[]): Sides {
  return [
    () => decodeLog("run-0", lines),
    () =>
      lines.map((line) => {
        hash("sha256", line);
        return JSON.parse(line);
      }),
    lines.length,
  ];
}

async function codecRow(name: string, rounds: number, ...sides: Sides): Promise<Row> {
  const [subject, floor, count] = sides;
  return row(name, await race(processorMs, rounds, subject, floor), count);
}

async function schemaRow(rounds: number): Promise<Row> {
  const schema = compileSchema({
    type: "object",
    properties: {
      path: { type: "string", minLength: 1 },
      lines: { type: "array", items: { type: "integer", minimum: 1 }, maxItems: 100 },
      mode: { enum: ["read", "write"] },
    },
    required: ["path", "mode"],
    additionalProperties: false,
  });
  const json = Array.from(
    { length: TIMES },
    (_, i) => JSON.stringify({ path: `src/file-${i}.ts`, lines: [1, 20, i + 1], mode: "read" }),
  );
  const values = json.map((text) => JSON.parse(text));
  const best = await race(
    processorMs,
    rounds,
    () => values.forEach((value) => schema.validate(value)),
    () => json.forEach((text) => JSON.parse(text)),
  );
  return row("validate a tool's arguments ÷ JSON.parse of them", best, TIMES);
}

async function codePointsRow(kind: string, piece: string, rounds: number): Promise<Row> {
  const texts = Array.from({ length: TIMES }, (_, i) => `${i}${piece.repeat(400 / piece.length)}`);
  const best = await race(
    processorMs,
    rounds,
    () => texts.reduce((sum, text) => sum + countCodePoints(text), 0),
    () => {
      let sum = 0;
      for (const text of texts) for (const _ of text) sum++;
      return sum;
    },
  );
  return row(`count 400 code points, ${kind} ÷ a walk over them`, best, TIMES);
}

function row(name: string, { subject, floor }: Raced, count: number): Row {
  const detail = `${microseconds(subject, count)} ÷ ${microseconds(floor, count)}`;
  return { name, value: subject / floor, unit: "ratio", detail };
}
