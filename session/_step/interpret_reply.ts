import type { RepliedStep } from "../../logic/_recovery/mod.ts";
import { present } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitInterpretation } from "../_live/port_admission.ts";

/** Reads the reply and gathers the decision, unless an abort comes first. A throw propagates. */
export async function interpretReply(
  live: LiveRun,
  { stepIndex, reply }: RepliedStep,
): Promise<undefined> {
  const { interrupt, journal, request, agent, toolProtocol, toolNames } = live;
  const settled = await interrupt.settle((signal) => {
    const context = present({ runId: request.runId, stepIndex, toolNames, signal });
    return agent.interpreter.interpret(reply, Object.freeze(context));
  });
  if (settled.kind === "threw") throw settled.error;
  if (settled.kind !== "returned") return;
  const { severalActions } = agent.syntheticObservations;
  const { decision, historyText } = admitInterpretation(
    settled.value,
    toolProtocol,
    severalActions,
  );
  journal.record({ type: "decision", stepIndex, decision, historyText });
}
