import { otelEvents } from "../../adapters/otel_events.ts";
import { eventSinkContract } from "../contract/mod.ts";
import { EVENT_SINK_CASES } from "./contracts/event_sinks.ts";
import { keepingTracer } from "./otel/kept_spans.ts";

const CASES = {
  ...EVENT_SINK_CASES,
  "otelEvents()": eventSinkContract({
    makeSink: () => otelEvents({ tracer: keepingTracer(), provider: "ollama", content: true }),
  }),
};

for (const [subject, cases] of Object.entries(CASES)) {
  for (const { name, run } of cases) Deno.test(`${subject} ${name}`, run);
}
