import { bareLog, barePrompt, sayText, type Start, type WriteLine } from "./bare_log.ts";
import { GOAL, type Workload } from "./workload.ts";

/**
 * A run's work written bare, without the library and without any of its checks: the same calls in the same order, the
 * same records, encoded, hashed and written the same. With equal times it writes the same bytes; a test holds it to that.
 */
export async function bareRun(
  { runId, started }: Start,
  work: Workload,
  now: () => number,
  write: WriteLine,
): Promise<void> {
  const put = bareLog(runId, write);
  const prompt = barePrompt();
  const say = (role: string, text: string) => sayText(prompt, role, text);
  const iso = () => new Date(now()).toISOString();

  say("user", GOAL);
  await put(started, true);
  for (let stepIndex = 0;; stepIndex++) {
    const startedMs = now();
    const which = { stepIndex, callId: `${runId}/s${stepIndex}`, attempt: 1 };
    const measure = prompt.measure();
    await put(
      JSON.stringify({ type: "model_call_intent", ...which, ...measure, at: iso() }),
      true,
    );
    const reply = await work.reply(stepIndex);
    const decision = work.decide(reply);
    say("assistant", reply.text);
    const decided = JSON.stringify({ type: "model_reply", ...which, reply }) + "," +
      JSON.stringify({ type: "decision", stepIndex, decision });
    if (decision.kind === "final_answer") {
      const step = {
        type: "step",
        stepIndex,
        outcome: "final_answer",
        durationMs: now() - startedMs,
      };
      await put(`${decided},${JSON.stringify(step)}`, false);
      const counters = {
        steps: stepIndex + 1,
        modelCalls: stepIndex + 1,
        withdrawnCalls: 0,
        totalTokens: 0,
        largestPromptChars: measure.promptChars,
      };
      const finished = {
        type: "run_finished",
        stopReason: "final_answer",
        stopConditions: ["final_answer"],
        answer: decision.answer,
        counters,
        abandoned: [],
        at: iso(),
      };
      return await put(JSON.stringify(finished), true);
    }
    const action = { stepIndex, ordinal: 0, actionId: `${runId}/s${stepIndex}_a0` };
    const intent = {
      type: "action_intent",
      ...action,
      attempt: 1,
      replayPolicy: "never",
      at: iso(),
    };
    await put(`${decided},${JSON.stringify(intent)}`, true);
    const actedMs = now();
    const outcome = await work.execute();
    say("user", outcome.observation);
    const durationMs = now() - actedMs;
    const result = {
      type: "action_result",
      ...action,
      ...outcome,
      toolCompletes: false,
      durationMs,
    };
    const step = { type: "step", stepIndex, outcome: "acted", durationMs: now() - startedMs };
    await put(`${JSON.stringify(result)},${JSON.stringify(step)}`, false);
  }
}
