/** The process that drives the demo's run: it prints each event as a line of JSON, and may be killed at any time. */
import type { EventSink } from "../ports/mod.ts";
import { resume, run } from "../session/mod.ts";
import { type DemoPlan, demoRun } from "./_demo_agent.ts";
import { print } from "./_print.ts";

const events: EventSink = {
  emit: (event) => print(JSON.stringify(event)),
  parameters: () => ({}),
};

if (import.meta.main) {
  const [verb, plan] = Deno.args as [string, string];
  drive(verb === "resume" ? resume : run, JSON.parse(plan));
}

async function drive(verb: typeof run, plan: DemoPlan): Promise<void> {
  const { agent, request, close } = demoRun(plan, events);
  try {
    await verb(agent, request);
  } finally {
    await close();
  }
}
