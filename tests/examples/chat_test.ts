import { assert, assertEquals, assertMatch } from "@std/assert";
import { chatAgent, lastTurn, MAX_PROMPT_CHARS, takeTurn } from "../../examples/chat.ts";
import { scriptedModel } from "../../adapters/scripted_model.ts";
import type { Message } from "../../mod.ts";
import { readLog, verifyLog, verifyOrigin } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { messageSize } from "../../types/mod.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const idsIn = (messages: readonly Message[], type: "tool_call" | "tool_result") =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => block.type === type ? [block.toolCallId] : [])
  );

Deno.test("examples/chat.ts keeps 20 turns of 10 steps within its budget, each call with its result, each turn a part of one chain", async () => {
  const store = memoryStore();
  const prompts: (readonly Message[])[] = [];
  const model = scriptedModel(({ callId, messages }) => {
    prompts.push(messages);
    const [turn, step] = /\d+/g[Symbol.match](callId) ?? [];
    return step === "9" ? `answer ${turn}` : { toolCalls: [{ name: "look", arguments: {} }] };
  });
  const agent = chatAgent(model, store);
  for (let turn = 1; turn <= 20; turn++) {
    const last = await lastTurn(store);
    const { runId, answer, steps } = await takeTurn(agent, last, `question ${turn}`);
    assertEquals([runId, answer, steps.length], [`chat-${turn}`, `answer ${turn}`, 10]);
    const lines = await store.readRun(runId) ?? [];
    const { started } = readLog(lines);
    assert(verifyLog(lines).ok);
    assertEquals(started.derivedFrom?.historySteps ?? 0, 10 * (turn - 1));
    assertEquals(started.derivedFrom?.root ?? "chat-1", "chat-1");
    if (last !== undefined) assert(verifyOrigin(readLog(lines), last).ok);
  }
  assertEquals(prompts.length, 200);
  for (const [call, prompt] of prompts.entries()) {
    const calls = idsIn(prompt, "tool_call");
    assertEquals(idsIn(prompt, "tool_result"), calls);
    assertEquals(new Set(calls).size, calls.length);
    const size = prompt.reduce((sum, message) => sum + messageSize(message), 0);
    assert(size <= MAX_PROMPT_CHARS, `call ${call} has ${size} characters`);
    const asked = JSON.stringify(prompt).includes(`question ${Math.floor(call / 10) + 1}"`);
    assert(asked, `call ${call} lost its question`);
  }
});

Deno.test("examples/chat.ts talks, and goes on where it stood when it is started again", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const say = async (text: string) => {
      const child = new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--no-prompt",
          "--no-lock",
          "--config",
          `${ROOT}deno.json`,
          "--allow-read=.polyloop",
          "--allow-write=.polyloop",
          `${ROOT}examples/chat.ts`,
        ],
        cwd: dir,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        env: { NO_COLOR: "1" },
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(text));
      await writer.close();
      const { code, stdout, stderr } = await child.output();
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
      return new TextDecoder().decode(stdout);
    };
    await Deno.mkdir(`${dir}/.polyloop`);
    assertMatch(
      await say("How is it?\nAnd now?\n"),
      /^chat-1: Grey, as I said 1 times\.\nchat-2: .* 2 times\.\n$/,
    );
    assertMatch(await say("And now?\n"), /^chat-3: Grey, as I said 3 times\.\n$/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
