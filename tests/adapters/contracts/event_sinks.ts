/** The contract of the event sinks that write, on whatever runtime has Node's modules. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { EventSink } from "@polyloop/polyloop";
import { combineEvents } from "@polyloop/polyloop/adapters/combine-events";
import {
  consoleEvents,
  type ConsoleEventsOptions,
} from "@polyloop/polyloop/adapters/console-events";
import { type JsonlEvents, jsonlEvents } from "@polyloop/polyloop/adapters/jsonl-events";
import {
  type ContractCase,
  eventSinkContract,
  type EventSinkContractOptions,
} from "@polyloop/polyloop/contract";

const folders = new WeakMap<EventSink, string>();

function fileSink(): JsonlEvents {
  const folder = mkdtempSync(`${tmpdir()}/polyloop-`);
  const sink = jsonlEvents(`${folder}/events.jsonl`);
  folders.set(sink, folder);
  return sink;
}

function linesOf(sink: EventSink): readonly unknown[] {
  const text = readFileSync(`${folders.get(sink)}/events.jsonl`, "utf8");
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

function remove(sink: JsonlEvents): void {
  sink.close();
  rmSync(folders.get(sink)!, { recursive: true });
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
  makeSink() {
    const file = fileSink();
    const output = { writeSync: (bytes: Uint8Array) => bytes.length };
    return { ...combineEvents(consoleEvents({ output }), file, combineEvents()), file };
  },
  keptEvents: ({ file }) => linesOf(file),
  dispose: ({ file }) => remove(file),
};

/** The cases of each sink. */
export const EVENT_SINK_CASES: Readonly<Record<string, readonly ContractCase[]>> = {
  "consoleEvents() in plain lines": eventSinkContract(consoleSink({})),
  "consoleEvents() on a terminal": eventSinkContract(
    consoleSink({ isTerminal: true, color: true, columns: 20 }),
  ),
  "jsonlEvents()": eventSinkContract(JSONL),
  "combineEvents()": eventSinkContract(COMBINED),
};
