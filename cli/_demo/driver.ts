/** The process that drives the demo's run: it prints each event as a line of JSON, and may be killed at any time. */
import type { EventSink, RunEvent } from "../../ports/mod.ts";
import { resume, run } from "../../session/mod.ts";
import { processScreen } from "../_screen.ts";
import { closeModuleStores } from "../_store/module_store.ts";
import { openStoreToDrive } from "../_store/open_store.ts";
import { errorLine } from "../_terminal_text.ts";
import { type DemoPlan, demoRun } from "./agent.ts";

/** What a line of the driver says. */
export type DriverLine = RunEvent | { readonly type: "driver_failed"; readonly reason: string };

if (import.meta.main) {
  const [verb, plan = ""] = Deno.args;
  drive(verb === "resume" ? resume : run, JSON.parse(plan))
    .catch((error) => say({ type: "driver_failed", reason: errorLine(error) }));
}

function say(line: DriverLine): void {
  processScreen().print(JSON.stringify(line));
}

async function drive(verb: typeof run, plan: DemoPlan): Promise<void> {
  const events: EventSink = { emit: say, parameters: () => ({}) };
  const open = await openStoreToDrive(plan.store);
  const { agent, request, close } = demoRun(plan, open.store, events);
  try {
    await verb(agent, request);
  } finally {
    await close();
    open.close();
    await closeModuleStores();
  }
}
