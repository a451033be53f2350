/** The process that drives the demo's run: it prints each event as a line of JSON, and may be killed at any time. */
import type { EventSink } from "../ports/mod.ts";
import { resume, run } from "../session/mod.ts";
import { type DemoPlan, demoRun } from "./_demo_agent.ts";
import { openStore } from "./_open_store.ts";
import { processScreen } from "./_screen.ts";

if (import.meta.main) {
  const [verb, plan] = Deno.args as [string, string];
  drive(verb === "resume" ? resume : run, JSON.parse(plan));
}

async function drive(verb: typeof run, plan: DemoPlan): Promise<void> {
  const screen = processScreen();
  const events: EventSink = {
    emit: (event) => screen.print(JSON.stringify(event)),
    parameters: () => ({}),
  };
  const open = await openStore(plan.store);
  const { agent, request, close } = demoRun(plan, open.store, events);
  try {
    await verb(agent, request);
  } finally {
    await close();
    open.close();
  }
}
