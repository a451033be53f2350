import { hash } from "node:crypto";
import { GOAL, type Workload } from "./workload.ts";

/** Where a floor puts its lines; the second says whether the line must be on the disk when it returns. */
export type WriteLine = (line: string, isBarrier: boolean) => void | Promise<void>;

/** What a floor takes from a run of the library instead of working it out: its first record, as JSON. */
export interface Start {
  readonly runId: string;
  readonly started: string;
}

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
  let seq = 0;
  let prev = digest(runId);
  const put = (records: string, isBarrier: boolean) => {
    const hashed = `{"schema":"1.0","seq":${seq++},"prev":"${prev}","records":[${records}]`;
    prev = digest(hashed);
    return write(`${hashed},"hash":"${prev}"}`, isBarrier);
  };
  let promptDigest = digest("");
  let promptChars = 0;
  const messages: object[] = [];
  const say = (role: string, text: string) => {
    const message = { content: [{ text, type: "text" }], role };
    messages.push(message);
    promptChars += text.length;
    promptDigest = digest(promptDigest + JSON.stringify(message));
  };
  const iso = () => new Date(now()).toISOString();

  say("user", GOAL);
  await put(started, true);
  for (let stepIndex = 0;; stepIndex++) {
    const startedMs = now();
    const promptMessages = messages.length;
    const which = { stepIndex, callId: `${runId}/s${stepIndex}`, attempt: 1 };
    const measure = { promptChars, promptMessages, promptDigest };
    await put(
      JSON.stringify({ type: "model_call_intent", ...which, ...measure, at: iso() }),
      true,
    );
    const reply = await work.reply(stepIndex);
    const decision = work.decide(reply);
    say("assistant", reply.text);
    const decided = JSON.stringify({ type: "model_reply", ...which, reply }) + "," +
      JSON.stringify({ type: "decision", stepIndex, decision, historyText: reply.text });
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

function digest(text: string): string {
  return `sha256:${hash("sha256", text)}`;
}
