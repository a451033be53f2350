import type { RepliedStep } from "../../logic/_recovery/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitInterpretation } from "../_live/port_admission.ts";

/** Reads the reply and gathers the decision, unless an abort comes first. A throw propagates. */
export async function interpretReply(
  live: LiveRun,
  { stepIndex, reply }: RepliedStep,
): Promise<undefined> {
  const { interrupt, journal, request, agent } = live;
  const settled = await interrupt.settle((signal) =>
    agent.interpreter.interpret(reply, Object.freeze({ runId: request.runId, stepIndex, signal }))
  );
  if (settled.kind === "threw") throw settled.error;
  if (settled.kind !== "returned") return;
  const { severalActions } = agent.syntheticObservations;
  const { decision, historyText } = admitInterpretation(
    settled.value,
    request.toolProtocol,
    severalActions,
  );
  journal.record({ type: "decision", stepIndex, decision, historyText });
}
