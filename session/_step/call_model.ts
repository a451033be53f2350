import type { ModelCall, ModelDelta } from "../../ports/mod.ts";
import { callId, errorInfo, type ModelReply, present } from "../../types/mod.ts";
import type { Settled } from "../_live/interrupt.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitDelta, admitReply } from "../_live/port_admission.ts";
import { endUnanswered } from "./end_step.ts";

/** Writes the intent, calls the model, and gathers its reply; or ends the step if the call failed. */
export async function callModel(live: LiveRun, stepIndex: number, attempt: number): Promise<void> {
  const { journal, clock, assembly } = live;
  const which = { stepIndex, callId: callId(live.request.runId, stepIndex), attempt };
  const measure = assembly.measure();
  journal.record({ type: "model_call_intent", ...which, ...measure, at: clock.iso() });
  assembly.markSent();
  await journal.flush();
  const startedMs = clock.ms();
  const settled = await askModel(live, which);
  emitFinished(live, which, settled, clock.ms() - startedMs);
  if (settled.kind === "abandoned") live.abandoned.push(which.callId);
  if (settled.kind === "returned") {
    journal.record({ type: "model_reply", ...which, reply: settled.value });
  } else if (settled.kind === "threw") {
    await endUnanswered(live, "model_call_failed", errorInfo(settled.error));
  }
}

/** Which call of the model it is. */
interface CallIdentity {
  readonly stepIndex: number;
  readonly callId: string;
  readonly attempt: number;
}

async function askModel(live: LiveRun, which: CallIdentity): Promise<Settled<ModelReply>> {
  const { request, assembly, events, agent } = live;
  const messages = assembly.messages();
  const { stepIndex, callId, attempt } = which;
  let listening = events.listening;
  const onDelta = (delta: ModelDelta) => {
    const admitted = listening ? admitDelta(delta) : undefined;
    if (admitted !== undefined) {
      events.emit({ type: "model_delta", stepIndex, callId, ...admitted });
    }
  };
  const tools = live.toolProtocol === "native" ? live.tools : undefined;
  if (!live.interrupt.aborted) events.emit({ type: "model_call_started", ...which });
  const settled = await live.interrupt.settle(async (signal) => {
    const call: ModelCall = {
      callId,
      attempt,
      messages,
      binding: request.modelBinding,
      signal,
      draining: live.interrupt.draining,
      ...present({ tools, onDelta: listening ? onDelta : undefined }),
    };
    return admitReply(await agent.model.call(Object.freeze(call)));
  });
  listening = false;
  return settled;
}

function emitFinished(
  live: LiveRun,
  which: CallIdentity,
  settled: Settled<ModelReply>,
  durationMs: number,
): void {
  if (settled.kind === "not_started" || !live.events.listening) return;
  const finished = { type: "model_call_finished", ...which, durationMs } as const;
  if (settled.kind === "returned") {
    const { finishReason, usage } = settled.value;
    live.events.emit(present({ ...finished, outcome: "replied", finishReason, usage } as const));
  } else if (settled.kind === "threw") {
    live.events.emit({ ...finished, outcome: "failed", error: errorInfo(settled.error) });
  } else {
    live.events.emit({ ...finished, outcome: "unknown" });
  }
}
