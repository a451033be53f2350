import { combineEvents } from "../../adapters/combine_events.ts";
import { consoleEvents, type ConsoleEventsOptions } from "../../adapters/console_events.ts";
import { type JsonlEvents, jsonlEvents } from "../../adapters/jsonl_events.ts";
import { otelEvents } from "../../adapters/otel_events.ts";
import type { EventSink } from "../../ports/mod.ts";
import { keepingTracer } from "./otel/kept_spans.ts";
import { eventSinkContract, type EventSinkContractOptions } from "../contract/mod.ts";

const folders = new WeakMap<EventSink, string>();

async function fileSink(): Promise<JsonlEvents> {
  const folder = await Deno.makeTempDir();
  const sink = jsonlEvents(`${folder}/events.jsonl`);
  folders.set(sink, folder);
  return sink;
}

async function linesOf(sink: EventSink): Promise<readonly unknown[]> {
  const text = await Deno.readTextFile(`${folders.get(sink)}/events.jsonl`);
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

async function remove(sink: JsonlEvents): Promise<void> {
  sink.close();
  await Deno.remove(folders.get(sink)!, { recursive: true });
}

function consoleSink(options: ConsoleEventsOptions): EventSinkContractOptions<EventSink> {
  const output = { writeSync: (bytes: Uint8Array) => bytes.length };
  return { makeSink: () => consoleEvents({ output, ...options }) };
}

const JSONL: EventSinkContractOptions<JsonlEvents> = {
  makeSink: fileSink,
  keptEvents: linesOf,
  dispose: remove,
};

const COMBINED: EventSinkContractOptions<EventSink & { readonly file: JsonlEvents }> = {
  async makeSink() {
    const file = await fileSink();
    const output = { writeSync: (bytes: Uint8Array) => bytes.length };
    return { ...combineEvents(consoleEvents({ output }), file, combineEvents()), file };
  },
  keptEvents: ({ file }) => linesOf(file),
  dispose: ({ file }) => remove(file),
};

const CASES = {
  "consoleEvents() in plain lines": eventSinkContract(consoleSink({})),
  "consoleEvents() on a terminal": eventSinkContract(
    consoleSink({ isTerminal: true, color: true, columns: 20 }),
  ),
  "jsonlEvents()": eventSinkContract(JSONL),
  "combineEvents()": eventSinkContract(COMBINED),
  "otelEvents()": eventSinkContract({
    makeSink: () => otelEvents({ tracer: keepingTracer(), provider: "ollama", content: true }),
  }),
};

for (const [subject, cases] of Object.entries(CASES)) {
  for (const { name, run } of cases) Deno.test(`${subject} ${name}`, run);
}
