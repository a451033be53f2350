import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import {
  type AssemblyInputs,
  entryIds,
  parseTemplate,
  PromptAssembly,
} from "../../../logic/_assembly/mod.ts";
import {
  canonicalJson,
  deepFreeze,
  digest,
  type Injection,
  type Message,
  textMessage,
} from "../../../types/mod.ts";
import { generatedSteps } from "./generated_steps.ts";

const INPUTS: AssemblyInputs = deepFreeze({
  context: {
    runLevel: [textMessage("system", "be 🌊"), textMessage("user", "an example")],
    goalLevel: [textMessage("user", "go")],
  },
  injections: {},
  protocol: "text",
  template: parseTemplate("[{observation}]"),
  historySteps: 0,
});

const INJECTIONS: Readonly<Record<string, readonly Injection[]>> = deepFreeze({
  "🌊": [{ entryId: "last", content: "l" }],
  b: [{ entryId: "b1", content: "1" }, { entryId: "b0", content: "\r" }],
  "\uffff": [{
    entryId: "x",
    content: "x",
    provenance: { source: "wiki", version: "3", trust: "low" },
  }],
  a: [],
});

/** The rolling chain, written down again. */
function chainOf(messages: readonly Message[]): string {
  return messages.reduce(
    (chain, { role, content, providerData }) =>
      digest(
        chain +
          canonicalJson({ role, content, ...(providerData !== undefined && { providerData }) }),
      ),
    digest(""),
  );
}

/** Python's `len` of every text, name and canonical JSON of a prompt. */
function sizeOf(messages: readonly Message[]): number {
  return messages.flatMap(({ content }) => content)
    .map((block) =>
      block.type === "tool_call" ? block.name + canonicalJson(block.arguments) : block.text
    )
    .concat(
      messages.flatMap(({ providerData }) =>
        providerData === undefined ? [] : [canonicalJson(providerData)]
      ),
    )
    .reduce((sum, text) => sum + [...text].length, 0);
}

function promptOf(assembly: PromptAssembly): readonly Message[] {
  return assembly.messages();
}

for (const protocol of ["text", "native"] as const) {
  Deno.test(`PromptAssembly grows by appending, object for object, and counts as it grows (${protocol})`, () => {
    const assembly = new PromptAssembly({ ...INPUTS, injections: INJECTIONS, protocol });
    let before = promptOf(assembly);
    for (const step of generatedSteps(protocol, 60, 5)) {
      assembly.addStep(step);
      const prompt = promptOf(assembly);
      before.forEach((message, i) => assertStrictEquals(prompt[i], message));
      assertEquals(assembly.measure(), {
        promptChars: sizeOf(prompt),
        promptMessages: prompt.length,
        promptDigest: chainOf(prompt),
      });
      assertEquals(assembly.messages().slice(0, before.length), before);
      before = prompt;
    }
    assert(before.every(Object.isFrozen) && Object.isFrozen(before));
  });
}

Deno.test("PromptAssembly lays out run level, injections by channel, goal level", () => {
  const prompt = promptOf(new PromptAssembly({ ...INPUTS, injections: INJECTIONS }));
  assertEquals(
    prompt.map(({ role, content }) => [role, (content[0] as { text: string }).text]),
    [["system", "be 🌊"], ["user", "an example"], ["user", "1"], ["user", "\r"], ["user", "x"], [
      "user",
      "l",
    ], ["user", "go"]],
  );
  assertEquals(Object.keys(entryIds(INJECTIONS)), ["a", "b", "\uffff", "🌊"]);
});

Deno.test("PromptAssembly without injections equals one without the slot, to the byte", () => {
  const bare = [...INPUTS.context.runLevel, ...INPUTS.context.goalLevel];
  for (const injections of [{}, { empty: [] }]) {
    const assembly = new PromptAssembly({ ...INPUTS, injections });
    assertEquals(JSON.stringify(promptOf(assembly)), JSON.stringify(bare));
    assertEquals(assembly.measure().promptDigest, chainOf(bare));
  }
});

Deno.test("PromptAssembly gives one digest whatever order channels and keys were inserted in", () => {
  const keys = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(keys)
      : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).reverse().map(([k, v]) => [k, keys(v)]))
      : value;
  const there = { ...INPUTS, injections: INJECTIONS, protocol: "native" } as const;
  const back = {
    ...there,
    context: keys(there.context) as AssemblyInputs["context"],
    injections: keys(there.injections) as AssemblyInputs["injections"],
  };
  const [one, other] = [new PromptAssembly(there), new PromptAssembly(back)];
  for (const step of generatedSteps("native", 30, 9)) {
    one.addStep(step);
    other.addStep(keys(step) as typeof step);
    assertEquals(one.measure(), other.measure());
  }
});

Deno.test("PromptAssembly tells any change of role, block, order or provider data by its digest", () => {
  const prompts: readonly (readonly Message[])[] = [
    [],
    [textMessage("user", "a")],
    [textMessage("system", "a")],
    [textMessage("user", "a"), textMessage("user", "b")],
    [textMessage("user", "b"), textMessage("user", "a")],
    [{ role: "user", content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] }],
    [{ ...textMessage("user", "a"), providerData: null }],
    [textMessage("user", "\ud83c")],
    [textMessage("user", "\ufffd")],
  ];
  const digests = prompts.map((goalLevel) => {
    const assembly = new PromptAssembly({ ...INPUTS, context: { runLevel: [], goalLevel } });
    return assembly.measure().promptDigest;
  });
  assertEquals(new Set(digests).size, prompts.length);
  const told = { ...textMessage("user", "a"), provenance: { source: "s", version: "1" } };
  const assembly = new PromptAssembly({ ...INPUTS, context: { runLevel: [], goalLevel: [told] } });
  assertEquals(assembly.measure().promptDigest, digests[1], "provenance is not part of the prompt");
});
