import type { ContextPolicy, ModelCall, ModelPort, RunStore } from "../../../mod.ts";
import { type LogRecord, type ModelReply, present } from "../../../types/mod.ts";
import { readLog, rebuildCall, type RunLog, verifyLog } from "../../../session/mod.ts";
import { assert, assertEquals } from "@std/assert";
import { recordsOf } from "../world.ts";

/** A policy with all three stages, for runs of short steps. */
export const POLICY: ContextPolicy = {
  triggerChars: 600,
  targetChars: 300,
  keepLastSteps: 1,
  stages: [
    { kind: "elide_observations", minChars: 30, notice: "({chars} left out)" },
    {
      kind: "summarise",
      instruction: "Sum up.",
      notice: "Before: {summary} ({from}-{to})",
      maxSummaryChars: 80,
    },
    { kind: "drop_steps", notice: "(steps {from} to {to} left out, {chars})" },
  ],
};

/** A model that says for each step what a function gives, and for each summary what another one gives. */
export function longModel(
  said: (step: number, call: ModelCall) => ModelReply | Promise<ModelReply>,
  summary: (call: ModelCall) => ModelReply | Promise<ModelReply> = () => ({ text: "it went on" }),
): ModelPort & { readonly prompts: Map<string, string>; readonly calls: ModelCall[] } {
  const prompts = new Map<string, string>();
  const calls: ModelCall[] = [];
  return {
    prompts,
    calls,
    async call(call) {
      calls.push(call);
      const prompt = JSON.stringify([call.messages, call.tools ?? null]);
      prompts.set(`${call.callId}#${call.attempt}`, prompt);
      const [, step, sum] = /\/s(\d+)(_c\d+)?$/.exec(call.callId) ?? [];
      return await (sum === undefined ? said(Number(step), call) : summary(call));
    },
    parameters: () => ({ name: "long" }),
  };
}

/** The log of run `r`, which verifies, and each prompt of which can be rebuilt. */
export async function verifiedLog(store: RunStore): Promise<RunLog> {
  const lines = (await store.readRun("r")) ?? [];
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  const log = readLog(lines);
  for (let call = 0; call < log.calls.length; call++) {
    const { promptChars, toolsChars, messages, tools } = rebuildCall(log, call);
    assert(promptChars >= toolsChars && messages.length > 0 && tools.length >= 0);
  }
  return log;
}

/** Every record of the run's log. */
export async function allRecords(store: RunStore): Promise<readonly LogRecord[]> {
  return recordsOf(await store.readRun("r")).flat();
}

/** In each prompt every call has exactly one result, and the reverse. */
export function assertWhole({ messages }: Pick<ModelCall, "messages">): void {
  const blocks = messages.flatMap(({ content }) => content);
  const ids = (type: "tool_call" | "tool_result") =>
    blocks.flatMap((block) => block.type === type ? [block.toolCallId] : []);
  assertEquals(ids("tool_call"), ids("tool_result"));
  assertEquals(new Set(ids("tool_call")).size, ids("tool_call").length);
}

/** A reply with a usage. */
export function replied(text: string, inputTokens?: number): ModelReply {
  return present({ text, usage: inputTokens === undefined ? undefined : { inputTokens } });
}
