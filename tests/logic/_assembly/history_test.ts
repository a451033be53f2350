import { assert, assertEquals, assertThrows } from "@std/assert";
import { historyMessages, parseTemplate } from "../../../logic/_assembly/mod.ts";
import type { ActionRecord, ContentBlock, Message, StepRecord } from "../../../types/mod.ts";
import { generatedSteps } from "./generated_steps.ts";

const template = parseTemplate("<{observation}>");

function rendered(protocol: "text" | "native", step: Partial<StepRecord>): readonly Message[] {
  const whole = { ...generatedSteps(protocol, 1, 1)[0]!, observation: undefined, ...step };
  return historyMessages(whole as StepRecord, { protocol, template, historySteps: 0 }).map((
    { message },
  ) => message);
}

const text = (role: Message["role"], value: string): Message => ({
  role,
  content: [{ type: "text", text: value }],
});

const ACTION = {
  actionId: "r/s4_a0",
  action: 1,
  toolCall: { id: "call_0", name: "look", arguments: { at: 3 } },
  observation: "seen",
  observationSynthetic: false,
  toolCompletes: false,
  truncatedChars: 0,
  attempts: 1,
  durationMs: 0,
};

function executed(observation = "seen", failed = false): ActionRecord {
  return { ...ACTION, observation, status: "executed", failed, completed: false };
}

const call = (ordinal: number): ContentBlock => ({
  type: "tool_call",
  toolCallId: `s4_a${ordinal}`,
  name: "look",
  arguments: { at: 3 },
});

const result = (ordinal: number, value: string, isError: boolean): Message => ({
  role: "tool",
  content: [{ type: "tool_result", toolCallId: `s4_a${ordinal}`, text: value, isError }],
});

const REPLY = { text: "raw", providerData: { signed: "x" } };

/** What each form of a step becomes. */
const RENDERINGS:
  readonly (readonly [string, "text" | "native", Partial<StepRecord>, readonly Message[]])[] = [
    ["text: assistant, then the observation through the template", "text", {
      historyText: "look!",
      reply: REPLY,
      actions: [executed()],
    }, [text("assistant", "look!"), text("user", "<seen>")]],
    ["text: an empty history text stays a message", "text", {
      historyText: "",
      actions: [executed("")],
    }, [text("assistant", ""), text("user", "<>")]],
    ["native: calls with ids of our own and provider data, results untouched", "native", {
      stepIndex: 4,
      historyText: "look!",
      reply: REPLY,
      actions: [executed(), executed("{x}", true)],
    }, [
      {
        role: "assistant",
        content: [{ type: "text", text: "look!" }, call(0), call(1)],
        providerData: { signed: "x" },
      },
      result(0, "seen", false),
      result(1, "{x}", true),
    ]],
    ["native: an empty history text beside calls gives no text block", "native", {
      stepIndex: 4,
      historyText: "",
      reply: { text: "raw" },
      actions: [{ ...ACTION, status: "not_executed" }],
    }, [{ role: "assistant", content: [call(0)] }, result(0, "seen", true)]],
    ["native: an environment failure and an unknown outcome are errors", "native", {
      stepIndex: 4,
      historyText: "",
      actions: [{ ...ACTION, status: "environment_failed" }, { ...ACTION, status: "unknown" }],
    }, [
      { role: "assistant", content: [call(0), call(1)] },
      result(0, "seen", true),
      result(1, "seen", true),
    ]],
    [
      "native: an invalid decision gives the text alone, no provider data, and the explanation",
      "native",
      {
        historyText: "gibberish",
        reply: REPLY,
        actions: [],
        observation: "cannot read it",
      },
      [text("assistant", "gibberish"), text("user", "<cannot read it>")],
    ],
    ["native: a failed call gives the observation alone", "native", {
      actions: [],
      observation: "it failed",
    }, [text("user", "<it failed>")]],
    ["a reply that was never interpreted gives nothing", "text", { reply: REPLY, actions: [] }, []],
    ["a final answer gives the assistant alone", "text", {
      historyText: "42",
      actions: [],
      outcome: "final_answer",
    }, [text("assistant", "42")]],
  ];

for (const [what, protocol, step, messages] of RENDERINGS) {
  Deno.test(`historyMessages() renders ${what}`, () => {
    const { historyText: _, ...bare } = { historyText: undefined, ...step };
    assertEquals(
      JSON.stringify(rendered(protocol, step.historyText === undefined ? bare : step)),
      JSON.stringify(messages),
    );
  });
}

Deno.test("historyMessages() invents no tool call for an action that came from none", () => {
  const { toolCall: _, ...action } = executed();
  assertThrows(
    () => rendered("native", { historyText: "", actions: [action] }),
    TypeError,
    "r/s4_a0",
  );
});

Deno.test("historyMessages() gives each call exactly one result, behind it in the same prompt", () => {
  for (const seed of [1, 2, 3]) {
    const seen = new Set<string>();
    for (const step of generatedSteps("native", 200, seed)) {
      const open: string[] = [];
      for (
        const { message } of historyMessages(step, {
          protocol: "native",
          template,
          historySteps: 0,
        })
      ) {
        assert(Object.isFrozen(message) && Object.isFrozen(message.content));
        for (const block of message.content) {
          if (block.type === "tool_call") {
            assert(!seen.has(block.toolCallId), block.toolCallId);
            seen.add(block.toolCallId);
            open.push(block.toolCallId);
          } else if (block.type === "tool_result") assertEquals(open.shift(), block.toolCallId);
          else assertEquals(open, [], "a text stands between a call and its result");
        }
      }
      assertEquals(open, []);
    }
  }
});
