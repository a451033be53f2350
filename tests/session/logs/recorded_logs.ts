import {
  type AgentSpec,
  ModelCallError,
  run,
  type RunOptions,
  type RunSpec,
} from "../../../mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, never, now, rejection, requestOf, type Said, wordExecutor } from "../world.ts";

async function logOf(
  script: readonly Said[],
  spec: Parameters<typeof requestOf>[0] = {},
  options: RunOptions = {},
): Promise<readonly string[]> {
  const store = memoryStore();
  const agent: Partial<AgentSpec> & Pick<RunSpec, "toolProtocol"> = { store };
  const { toolProtocol: protocol = "text" } = spec;
  const running = run(agentOf(script, { ...agent, protocol }), requestOf(spec), {
    now,
    ...options,
  });
  await (options.signal === undefined ? running : rejection(running));
  return (await store.readRun("r"))!;
}

/** A run whose call, or whose action, was in flight when it was aborted and never answered. */
function givenUp(inFlight: "call" | "action"): Promise<readonly string[]> {
  const controller = new AbortController();
  const hang = () => (controller.abort("enough"), never<never>());
  const executor = wordExecutor((word) => word === "hang" ? hang() : undefined);
  const script = ["do a", inFlight === "call" ? hang : "do hang; do b"];
  const { signal } = controller;
  return logOf(script, { toolProtocol: "native", executor }, { signal });
}

/** The tools of the log `mixed`. */
export const TOOLS: NonNullable<RunSpec["tools"]> = {
  names: ["do", "submit"],
  schemaForModel: () =>
    ["do", "submit"].map((name) => ({ name, description: "Does.", parameters: {} })),
  toolDigest: () => "d",
};

/** A log for each way that a run can go. */
export const LOGS: Readonly<Record<LogName, readonly string[]>> = {
  mixed: await logOf(
    ["do a; do b", "gibberish", new Error("down"), "do deny", "do refuse; use submit c; do d"],
    {
      toolProtocol: "native",
      tools: TOOLS,
      injections: { notes: [{ entryId: "n", content: "x" }], empty: [] },
    },
    {
      approveAction: {
        id: "guard",
        decide: ({ action }) => ({ allow: (action as { do: string }).do !== "deny" }),
      },
    },
  ),
  invalid: await logOf(["gibberish"], { budget: { maxConsecutiveFailures: 1 } }),
  failed: await logOf([new Error("down")], { budget: { maxConsecutiveFailures: 1 } }),
  refused: await logOf([new ModelCallError("wrong key", { kind: "auth", retriable: false })], {
    budget: { maxConsecutiveFailures: 3 },
  }),
  broken: await logOf(["do throw"], { budget: { maxConsecutiveFailures: 1 } }),
  bare: await logOf(["do a", "answer 1"], {}, { recordInputs: false }),
  call: await givenUp("call"),
  action: await givenUp("action"),
};

type LogName = "mixed" | "invalid" | "failed" | "refused" | "broken" | "bare" | "call" | "action";
