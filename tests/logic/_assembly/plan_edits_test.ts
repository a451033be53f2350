import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type ContextEdit,
  parseTemplate,
  planEdits,
  type PlannedEdit,
  PromptAssembly,
  summaryEdit,
} from "../../../logic/_assembly/mod.ts";
import {
  type ActionRecord,
  type ContextPolicy,
  type ContextStage,
  digest,
  type StepRecord,
  textMessage,
} from "../../../types/mod.ts";

/** A step that said something, and what its actions gave. */
function stepOf(stepIndex: number, ...observations: readonly string[]): StepRecord {
  const actions = observations.map((observation, i): ActionRecord => ({
    actionId: `r/s${stepIndex}_a${i}`,
    action: { do: i },
    toolName: stepIndex === 2 ? "keep" : "look",
    toolCall: { id: "c", name: "look", arguments: {} },
    status: "executed",
    failed: false,
    completed: false,
    observation,
    observationSynthetic: false,
    toolCompletes: false,
    truncatedChars: 0,
    attempts: 1,
    durationMs: 0,
  }));
  return {
    stepIndex,
    modelCallId: `r/s${stepIndex}`,
    modelAttempts: 1,
    outcome: "acted",
    historyText: `said ${stepIndex}`,
    decision: { kind: "action", actions },
    actions,
    promptChars: 0,
    promptMessages: 0,
    promptDigest: digest(""),
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 0,
  };
}

const ELIDE: ContextStage = {
  kind: "elide_observations",
  minChars: 20,
  notice: "<{step}:{chars}>",
};
const DROP: ContextStage = { kind: "drop_steps", notice: "<{from}-{to}:{chars}>" };
const SUMMARISE: ContextStage = {
  kind: "summarise",
  instruction: "Sum up.",
  notice: "<{summary}:{from}-{to}>",
  maxSummaryChars: 50,
};

function policyOf(stages: readonly ContextStage[], more: Partial<ContextPolicy> = {}) {
  return { triggerChars: 9_000, targetChars: 8_000, keepLastSteps: 1, stages, ...more };
}

/** A run's prompt: a task of two characters, then steps of 106 each: what was said, and a result of a hundred. */
function prompt(
  {
    steps = 6,
    protocol = "text",
    historySteps = 0,
    observations = ["x".repeat(100)],
    template = "",
  }: {
    readonly steps?: number;
    readonly protocol?: "text" | "native";
    readonly historySteps?: number;
    readonly observations?: readonly string[];
    readonly template?: string;
  } = {},
): PromptAssembly {
  const assembly = new PromptAssembly({
    context: { runLevel: [], goalLevel: [textMessage("user", "go")] },
    injections: {},
    isEditable: true,
    protocol,
    template: parseTemplate(`${template}{observation}`),
    historySteps,
  });
  for (let i = 0; i < steps; i++) assembly.addStep(stepOf(i, ...observations));
  return assembly;
}

function planned(
  assembly: PromptAssembly,
  policy: ContextPolicy,
  targetChars: number,
): PlannedEdit | undefined {
  return planEdits(assembly.view(), policy, { targetChars, maySummarise: true });
}

function edited(assembly: PromptAssembly, policy: ContextPolicy, targetChars: number): ContextEdit {
  const plan = planned(assembly, policy, targetChars);
  assert(plan?.kind === "edit");
  assert(assembly.edit(plan.edit));
  return plan.edit;
}

/** The texts of a prompt after its task. */
function textsOf(assembly: PromptAssembly): readonly string[] {
  return assembly.messages().slice(1).flatMap(({ content }) =>
    content.map((block) => block.type === "tool_call" ? `call ${block.name}` : block.text)
  );
}

const whole = prompt().measure().promptChars;

Deno.test("planEdits() asks for nothing of a prompt that is no larger than its target", () => {
  assertEquals(planned(prompt(), policyOf([ELIDE, DROP]), whole), undefined);
  assert(planned(prompt(), policyOf([ELIDE, DROP]), whole - 1) !== undefined);
});

Deno.test("planEdits() elides the oldest results, as few as will do, and leaves what was said", () => {
  const assembly = prompt();
  const edit = edited(assembly, policyOf([ELIDE]), whole - 150);
  assertEquals(edit.replacements, [
    { step: 0, ordinal: 0, text: "<0:100>" },
    { step: 1, ordinal: 0, text: "<1:100>" },
  ]);
  assertEquals([edit.steps, edit.beforeChars, edit.afterChars], [[0, 1], whole, whole - 186]);
  const texts = textsOf(assembly).slice(0, 6);
  const result = "x".repeat(100);
  assertEquals(texts, ["said 0", "<0:100>", "said 1", "<1:100>", "said 2", result]);
});

Deno.test("planEdits() puts a notice into the observation template, where the result was", () => {
  const assembly = prompt({ template: "Output: " });
  edited(assembly, policyOf([ELIDE]), assembly.measure().promptChars - 10);
  assertEquals(textsOf(assembly).slice(0, 2), ["said 0", "Output: <0:100>"]);
});

Deno.test("planEdits() elides result by result by the native protocol, each one once, by code points", () => {
  const observations = ["🌊".repeat(21), "🌊".repeat(20), "y".repeat(60)];
  const assembly = prompt({ steps: 2, protocol: "native", observations });
  const edit = edited(assembly, policyOf([ELIDE]), 1);
  assertEquals(edit.replacements, [
    { step: 0, ordinal: 0, text: "<0:21>" },
    { step: 0, ordinal: 2, text: "<0:60>" },
  ]);
  const results = ["<0:21>", "🌊".repeat(20), "<0:60>"];
  const calls = ["call look", "call look", "call look"];
  assertEquals(textsOf(assembly).slice(0, 7), ["said 0", ...calls, ...results]);
  assertEquals(planned(assembly, policyOf([ELIDE]), 1), undefined);
});

Deno.test("planEdits() drops the oldest steps, as few as will do, and a later drop takes the notice of the one before in", () => {
  const assembly = prompt();
  const policy = policyOf([DROP]);
  const first = edited(assembly, policy, whole - 150);
  assertEquals([first.steps, first.replacements], [[0, 1], [{ step: 0, text: "<0-1:212>" }]]);
  const second = edited(assembly, policy, first.afterChars - 50);
  assertEquals([second.steps, second.replacements], [[0, 2], [{ step: 0, text: "<0-2:318>" }]]);
  assertEquals(textsOf(assembly).slice(0, 2), ["<0-2:318>", "said 3"]);
  const last = edited(assembly, policy, 1);
  assertEquals(last.steps, [0, 4]);
  assertEquals(planned(assembly, policy, 1), undefined);
});

Deno.test("planEdits() keeps the first and the last steps and those with an action of a pinned tool", () => {
  const policy = policyOf([DROP], {
    keepFirstSteps: 1,
    keepLastSteps: 2,
    pinnedTools: ["keep"],
  });
  const assembly = prompt();
  const spans: unknown[] = [];
  for (let plan = planned(assembly, policy, 1); plan?.kind === "edit";) {
    spans.push(plan.edit.steps);
    assert(assembly.edit(plan.edit));
    plan = planned(assembly, policy, 1);
  }
  assertEquals(spans, [[1, 1], [3, 3]]);
});

Deno.test("planEdits() makes no edit that saves less than minReclaimChars, and takes more where that does it", () => {
  const policy = policyOf([ELIDE, DROP], { minReclaimChars: 300 });
  const few = edited(prompt(), policy, whole - 10);
  assertEquals([few.stage, few.steps], ["elide_observations", [0, 3]]);
  const dropping = policyOf([DROP], { minReclaimChars: 300 });
  assertEquals(edited(prompt(), dropping, whole - 10).steps, [0, 2]);
  assertEquals(
    planned(prompt({ steps: 3 }), policyOf([ELIDE, DROP], { minReclaimChars: 300 }), 1),
    undefined,
  );
});

/** A summary as it is planned. */
function wanted(assembly: PromptAssembly, more: Partial<ContextPolicy> = {}) {
  const plan = planned(assembly, policyOf([SUMMARISE], more), 1);
  assert(plan?.kind === "summary");
  return plan.wanted;
}

function summed(assembly: PromptAssembly, summary: string): ContextEdit | undefined {
  return summaryEdit(wanted(assembly), summary, assembly.measure().promptChars);
}

Deno.test("planEdits() has all steps summed up that may be, an earlier summary with them, and that one alone never again", () => {
  const assembly = prompt();
  const first = wanted(assembly);
  assertEquals(first.units.map(({ steps }) => steps[0]), [0, 1, 2, 3, 4]);
  const edit = summed(assembly, "all well");
  assert(edit !== undefined && assembly.edit(edit));
  assertEquals(textsOf(assembly).slice(0, 2), ["<all well:0-4>", "said 5"]);
  assertEquals(planned(assembly, policyOf([SUMMARISE]), 1), undefined);
  assembly.addStep(stepOf(6, "z".repeat(100)));
  const second = wanted(assembly);
  assertEquals(second.units.map(({ steps }) => steps), [[0, 4], [5, 5]]);
  const [system, user] = second.messages.map(({ content: [block] }) => block);
  assertEquals(system, { type: "text", text: "Sum up." });
  assert(user?.type === "text");
  assertStringIncludes(user.text, "[steps 0 to 4, notice]\n<all well:0-4>");
  assertStringIncludes(user.text, "[step 5, assistant]\nsaid 5\n[step 5, observation]\nxxx");
});

Deno.test("planEdits() ends what is summed up before a pinned step", () => {
  const { units } = wanted(prompt(), { pinnedTools: ["keep"] });
  assertEquals(units.map(({ steps }) => steps[0]), [0, 1]);
});

Deno.test("planEdits() drops no summary", () => {
  const assembly = prompt();
  const edit = summed(assembly, "all well");
  assert(edit !== undefined && assembly.edit(edit));
  for (const i of [6, 7]) assembly.addStep(stepOf(i, "z".repeat(100)));
  assertEquals(edited(assembly, policyOf([DROP]), 1).steps, [5, 6]);
  assertEquals(textsOf(assembly).slice(0, 2), ["<all well:0-4>", "<5-6:212>"]);
});

Deno.test("summaryEdit() takes a summary literally, and none that makes the prompt no smaller", () => {
  const assembly = prompt();
  assertEquals(summed(assembly, "$& {from} {summary}")?.replacements, [
    { step: 0, text: "<$& {from} {summary}:0-4>" },
  ]);
  assertEquals(summed(assembly, "s".repeat(524)), undefined);
  assert(summed(assembly, "s".repeat(523)) !== undefined);
});

Deno.test("notices and summaries number steps as the conversation counts them, and records as the run does", () => {
  const later = () => prompt({ historySteps: 10 });
  const elided = edited(later(), policyOf([ELIDE]), whole - 10);
  assertEquals([elided.steps, elided.replacements[0]?.text], [[0, 0], "<10:100>"]);
  const dropped = edited(later(), policyOf([DROP]), whole - 10);
  assertEquals([dropped.steps, dropped.replacements[0]?.text], [[0, 0], "<10-10:106>"]);
  assertEquals(summed(later(), "s")?.replacements, [{ step: 0, text: "<s:10-14>" }]);
  assert(JSON.stringify(wanted(later()).messages).includes("[step 10, assistant]"));
});

Deno.test("an edited prompt has room: many more steps fit below the trigger before the next edit", () => {
  const assembly = prompt({ steps: 80 });
  const policy = policyOf([DROP], { triggerChars: 8_000, targetChars: 4_000 });
  edited(assembly, policy, policy.targetChars);
  let steps = 80;
  while (assembly.measure().promptChars <= policy.triggerChars) {
    assembly.addStep(stepOf(steps++, "x".repeat(100)));
  }
  assert(steps >= 80 + 4_000 / 108, `${steps}`);
});
