import { assertEquals, assertRejects } from "@std/assert";
import { InvalidRequestError, resume, run, type RunOptions } from "../../mod.ts";
import { agentOf, requestOf, tellingStore } from "./world.ts";

const REFUSED: readonly (readonly [object, string])[] = [
  [{ signal: {} }, "options.signal"],
  [{ onAbort: "pause" }, "options.onAbort"],
  [{ recordInputs: 1 }, "options.recordInputs"],
  [{ recordStacks: 1 }, "options.recordStacks"],
  [{ now: 5 }, "options.now"],
  [{ onEventError: "x" }, "options.onEventError"],
  [{ approveAction: () => true }, "options.approveAction"],
  [{ approveAction: { id: "a" } }, "options.approveAction"],
  [{ approveAction: { id: "", decide: () => 1 } }, "options.approveAction.id"],
  [{ approveAction: { id: 5, decide: () => 1 } }, "options.approveAction.id"],
  [{ resolveUnknownAction: null }, "options.resolveUnknownAction"],
  [{ resolveUnknownAction: { resolve: () => 1 } }, "options.resolveUnknownAction.id"],
  [{ onabort: "suspend" }, "options.onabort"],
  [{ timeout: undefined }, "options.timeout"],
  [{ now: () => NaN }, "options.now"],
  [{ now: () => 8.65e15 }, "options.now"],
  [{ now: () => "now" }, "options.now"],
];

for (const verb of [run, resume]) {
  Deno.test(`${verb.name}() refuses bad options before anything is written`, async () => {
    for (const [options, field] of REFUSED) {
      const store = tellingStore();
      const agent = agentOf(["answer 1"], { store });
      if (verb === resume) await run(agent, requestOf({ budget: { maxSteps: 0 } }));
      const written = store.asked.length;
      const error = await assertRejects(
        () => verb(agent, requestOf({ budget: { maxSteps: 0 } }), options as RunOptions),
        InvalidRequestError,
      );
      assertEquals(error.field, field);
      assertEquals(store.asked.slice(written).filter((name) => name !== "readRun"), []);
    }
  });
}
