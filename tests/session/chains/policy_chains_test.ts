import { assert, assertEquals } from "@std/assert";
import { type Message, type ModelReply, run, type RunSpec, textMessage } from "../../../mod.ts";
import {
  contextAt,
  continued,
  defineRun,
  readLog,
  rebuildPrompt,
  type RunLog,
  verifyLog,
  verifyOrigin,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { assertWhole, longModel, POLICY } from "../long_runs/long_world.ts";
import { agentOf, now, requestOf } from "../world.ts";
import { type Protocol, PROTOCOLS } from "./chain_world.ts";

/** No less than what messages count in a prompt: what is inherited is never edited. */
function charsOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
}

/** A run of so many steps that shortens its prompt by every stage, and each prompt that decided a step. */
async function policyRun(
  protocol: Protocol,
  spec: Partial<Omit<RunSpec, "budget">>,
  steps: number,
): Promise<{ readonly log: RunLog; readonly prompts: readonly (readonly Message[])[] }> {
  const store = memoryStore();
  const said = (step: number): ModelReply => ({
    text: step < steps - 1 ? `do ${"look ".repeat(12)}${spec.runId} ${step}` : "answer 1",
  });
  const model = longModel(said);
  const request = requestOf({ toolProtocol: protocol, ...spec });
  const inherited = charsOf(request.context.goalLevel);
  const contextPolicy = {
    ...POLICY,
    triggerChars: POLICY.triggerChars + inherited,
    targetChars: POLICY.targetChars + inherited,
  };
  const limited = defineRun({ ...request, contextPolicy });
  await run(agentOf(model, { protocol, store }), limited, { now });
  const lines = await store.readRun(request.runId) ?? [];
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  const log = readLog(lines);
  log.calls.forEach((_, call) => rebuildPrompt(log, call));
  for (const call of model.calls) assertWhole(call);
  const decided = model.calls.filter(({ callId }) => /\/s\d+$/.test(callId));
  return { log, prompts: decided.map(({ messages }) => messages) };
}

for (const protocol of PROTOCOLS) {
  Deno.test(`forks of forks of runs under a context policy begin with the prompt of the step that they go on from, by the protocol ${protocol}`, async () => {
    const { log, prompts } = await policyRun(protocol, { runId: "r" }, 14);
    assert(log.edits.length > 3);
    for (let at = 0; at < 14; at += 3) {
      const fork = await policyRun(protocol, { runId: `f${at}`, ...contextAt(log, at) }, 14);
      assertEquals(fork.prompts[0], prompts[at]);
      assertEquals(verifyOrigin(fork.log, log), { ok: true, added: 0 });
      for (const half of [1, 7]) {
        const again = await policyRun(protocol, {
          runId: `f${at}-${half}`,
          ...contextAt(fork.log, half),
        }, 3);
        assertEquals(again.prompts[0], fork.prompts[half]);
        assertEquals(verifyOrigin(again.log, fork.log), { ok: true, added: 0 });
        assertEquals(again.log.started.derivedFrom?.historySteps, at + half);
      }
    }
  });

  Deno.test(`a chain of 9 turns under a context policy: each begins with the last prompt of the one before, what came of it, and what is said, by the protocol ${protocol}`, async () => {
    let spec: Partial<Omit<RunSpec, "budget">> = {};
    let last: readonly Message[] = [];
    let edits = 0;
    for (let turn = 0; turn < 9; turn++) {
      const { log, prompts } = await policyRun(protocol, { ...spec, runId: `t${turn}` }, 14);
      edits += log.edits.length;
      const [first = []] = prompts;
      assertEquals(first.slice(0, last.length), last);
      if (turn > 0) assertEquals(first.length, last.length + 2);
      last = prompts.at(-1) ?? [];
      spec = continued(log, textMessage("user", `and ${turn}?`));
    }
    assert(edits > 9, `${edits}`);
    assertEquals(spec.derivedFrom?.historySteps, 9 * 14);
    assertEquals(spec.derivedFrom?.root, "t0");
  });
}
