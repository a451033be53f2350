import { assert, assertEquals, assertThrows } from "@std/assert";
import { InvalidRequestError, type Message, textMessage } from "../../../mod.ts";
import { contextAt, continued, readLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { made, PROTOCOLS } from "./chain_world.ts";

const bytes = (value: unknown) => JSON.stringify(value);

/** The ids of the calls and of the results in a prompt, in order. */
function idsIn(prompt: readonly Message[], type: "tool_call" | "tool_result"): readonly string[] {
  return prompt.flatMap(({ content }) =>
    content.flatMap((block) => block.type === type ? [block.toolCallId] : [])
  );
}

for (const protocol of PROTOCOLS) {
  Deno.test(`continued(): a chain of 20 turns has every message once, and each prompt begins with the one before, by the protocol ${protocol}`, async () => {
    const store = memoryStore();
    let last: readonly Message[] = [];
    let spec: Parameters<typeof made>[3] = {};
    const said: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const actions = protocol === "native" ? `do a${turn}; do b${turn}` : `do a${turn}`;
      const { log, lines, prompts } = await made(store, protocol, [
        actions,
        `do c${turn}`,
        `answer ${turn}`,
      ], { ...spec, runId: `chat-${turn}` });
      assert(verifyLog(lines).ok);
      for (const prompt of prompts) {
        assertEquals(bytes(prompt.slice(0, last.length)), bytes(last));
        assertEquals(idsIn(prompt, "tool_call"), idsIn(prompt, "tool_result"));
        assertEquals(new Set(idsIn(prompt, "tool_call")).size, idsIn(prompt, "tool_call").length);
        last = prompt;
      }
      said.push(actions, `do c${turn}`, `answer ${turn}`, `and ${turn}?`);
      const next = continued(log, textMessage("user", `and ${turn}?`));
      assertEquals(next.derivedFrom, {
        runId: `chat-${turn}`,
        logHead: log.logHead,
        steps: 3,
        historySteps: 3 * (turn + 1),
        root: "chat-0",
      });
      spec = next;
    }
    const { runLevel, goalLevel } = spec!.context!;
    const texts = [...runLevel, ...goalLevel].flatMap(({ content }) =>
      content.flatMap((block) => block.type === "text" ? [block.text] : [])
    );
    for (const text of said) {
      assertEquals(texts.filter((each) => each === text).length, 1, text);
    }
  });
}

Deno.test("continued() says what a run came to, whatever ended it", async () => {
  const store = memoryStore();
  const { log } = await made(store, "text", ["do a", "do b"], { budget: { maxSteps: 2 } });
  assertEquals(log.finished?.stopReason, "step_budget_exhausted");
  const { context } = continued(log, textMessage("user", "go on"));
  assertEquals(context.goalLevel.map(({ role }) => role), [
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
    "user",
  ]);
  const { goalLevel } = continued(log).context;
  assertEquals(goalLevel, contextAt(log).context.goalLevel);
});

Deno.test("continued() refuses a run that has not finished, and what is no message", async () => {
  const { log, lines } = await made(memoryStore(), "text", ["do a", "answer 1"]);
  const error = assertThrows(
    () => continued(readLog(lines.slice(0, -1)), textMessage("user", "x")),
    InvalidRequestError,
  );
  assert(error.message.includes("resume it first"), error.message);
  const wrong = assertThrows(
    () => continued(log, JSON.parse('{"role":"user"}')),
    InvalidRequestError,
  );
  assertEquals(wrong.field, "messages[0].content");
});
