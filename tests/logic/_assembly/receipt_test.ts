import { assert, assertEquals } from "@std/assert";
import { parseTemplate, PromptAssembly } from "../../../logic/_assembly/mod.ts";
import { type Message, textMessage } from "../../../types/mod.ts";
import { generatedSteps } from "./generated_steps.ts";

const template = parseTemplate("{observation}");

function assemblyOf(runLevel: readonly Message[]): PromptAssembly {
  const injections = {
    notes: [
      { entryId: "n1", content: "🌊🌊" },
      { entryId: "n1", content: "\r", provenance: { source: "wiki", version: "3", trust: "low" } },
    ],
  };
  const context = { runLevel, goalLevel: [textMessage("user", "go")] };
  return new PromptAssembly({ context, injections, protocol: "native", template, historySteps: 0 });
}

Deno.test("receipt() lists each new message with its segment, source, provenance, size and chain", () => {
  const assembly = assemblyOf([textMessage("system", "be good")]);
  const { newMessages, sharedMessages, sharedChars, totals } = assembly.receipt();
  assertEquals({ sharedMessages, sharedChars }, { sharedMessages: 0, sharedChars: 0 });
  assertEquals(totals, { run_level: 7, injection: 3, goal_level: 2, history: 0 });
  assertEquals(
    newMessages.map(({ chain: _, ...message }) => message),
    [
      { segment: "run_level", source: "run[0]", size: 7, warnings: [] },
      { segment: "injection", source: "injection:notes/n1#0", size: 2, warnings: [] },
      {
        segment: "injection",
        source: "injection:notes/n1#1",
        origin: "wiki",
        version: "3",
        trust: "low",
        size: 1,
        warnings: ["whitespace_only", "cr_present"],
      },
      { segment: "goal_level", source: "goal[0]", size: 2, warnings: [] },
    ],
  );
  assertEquals(newMessages.at(-1)?.chain, assembly.measure().promptDigest);
});

Deno.test("receipt() begins after the last call, and its parts add up to the prompt", () => {
  const assembly = assemblyOf([]);
  let lines = 0;
  for (const step of generatedSteps("native", 40, 3)) {
    const { newMessages, sharedMessages, sharedChars, totals } = assembly.receipt();
    const { promptChars, promptMessages } = assembly.measure();
    assertEquals(sharedMessages + newMessages.length, promptMessages);
    assertEquals(sharedChars + newMessages.reduce((sum, { size }) => sum + size, 0), promptChars);
    assertEquals(Object.values(totals).reduce((a, b) => a + b), promptChars);
    lines += newMessages.length;
    assembly.markSent();
    assertEquals(assembly.receipt().newMessages, []);
    assembly.addStep(step);
    for (const { source, segment } of assembly.receipt().newMessages) {
      assertEquals(segment, "history");
      const part = source.replace(`step:${step.stepIndex}/`, "");
      assert(["assistant", "observation"].includes(part), source);
    }
  }
  assertEquals(lines, assembly.receipt().sharedMessages);
});

/** Texts with what a receipt warns of. */
const WARNINGS: readonly (readonly [Message, readonly string[]])[] = [
  [textMessage("user", ""), ["empty_content"]],
  [textMessage("user", " \n\t"), ["whitespace_only"]],
  [textMessage("user", "\r\n"), ["whitespace_only", "cr_present"]],
  [textMessage("user", "a\rb"), ["cr_present"]],
  [textMessage("user", "ab"), []],
  [{ role: "user", content: [{ type: "text", text: "" }, { type: "text", text: "x" }] }, []],
  [{ role: "user", content: [{ type: "text", text: "a\r" }, { type: "text", text: "x" }] }, [
    "cr_present",
  ]],
  [{
    role: "assistant",
    content: [{ type: "tool_call", toolCallId: "s0_a0", name: "look", arguments: {} }],
  }, []],
  [{
    role: "tool",
    content: [{ type: "tool_result", toolCallId: "s0_a0", text: "", isError: false }],
  }, ["empty_content"]],
];

Deno.test("receipt() warns of what a writer may not have meant", () => {
  for (const [message, warnings] of WARNINGS) {
    assertEquals([...assemblyOf([message]).receipt().newMessages[0]!.warnings], warnings);
  }
});

Deno.test("receipt() holds no text", () => {
  const assembly = assemblyOf([textMessage("system", "be secret")]);
  assert(!JSON.stringify(assembly.receipt()).includes("secret"));
});
