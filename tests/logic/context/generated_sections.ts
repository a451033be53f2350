import {
  type BuiltContext,
  type ContextSection,
  SECTION_KINDS,
} from "../../../logic/context/mod.ts";
import { parseTemplate, PromptAssembly } from "../../../logic/_assembly/mod.ts";
import type { Message } from "../../../types/mod.ts";

/** A section with what a test does not care about filled in. */
export function section(fields: Partial<ContextSection> & { readonly id: string }): ContextSection {
  return {
    kind: "memory",
    segment: "goal_level",
    trust: "user",
    priority: 0,
    source: `source of ${fields.id}`,
    version: "1",
    body: `body of ${fields.id}`,
    ...fields,
  };
}

/** A message of one text. */
export function turn(role: Message["role"], text: string): Message {
  return { role, content: [{ type: "text", text }] };
}

/** A protocol group: an assistant turn that calls tools, and one result for each. */
export function callTurns(ids: readonly string[], resultText = "done"): readonly Message[] {
  return [
    {
      role: "assistant",
      content: ids.map((id) => ({
        type: "tool_call",
        toolCallId: id,
        name: "look",
        arguments: { at: id },
      })),
    },
    ...ids.map((id): Message => ({
      role: "tool",
      content: [{ type: "tool_result", toolCallId: id, text: resultText, isError: false }],
    })),
  ];
}

/** The kernel's own layout of what was built: its messages, its size and its receipt. */
export function kernelPrompt({ context, injections }: BuiltContext): {
  readonly messages: readonly Message[];
  readonly chars: number;
  readonly digest: string;
  readonly receipt: ReturnType<PromptAssembly["receipt"]>;
} {
  const assembly = new PromptAssembly({
    context,
    injections,
    protocol: "text",
    template: parseTemplate("{observation}"),
    historySteps: 0,
  });
  const { promptChars, promptDigest } = assembly.measure();
  return {
    messages: assembly.messages(),
    chars: promptChars,
    digest: promptDigest,
    receipt: assembly.receipt(),
  };
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  shuffled<T>(values: readonly T[]): readonly T[] {
    const left = [...values];
    return values.map(() => left.splice(this.below(left.length), 1)[0]!);
  }
}

const SCRAPS = [
  "plain words ",
  "第一条规则 ",
  "🌊🧑‍🚀 ",
  "e\u0301e\u0301 ",
  "\ud83c",
  "\udf0a",
  "\r\n",
  "\r",
  "\n",
  "$& $1 ",
  "{observation} {{marker}} {truncatedChars} ",
  "\ufeff",
  "[end 0123456789abcdef]",
  "x".repeat(200),
];

/** A text that is unpleasant in several ways, at times blank. */
export function generatedText(random: Random): string {
  return Array.from({ length: random.below(8) }, () => random.pick(SCRAPS)).join("");
}

function generatedTurns(random: Random, id: string): readonly Message[] {
  return Array.from({ length: random.below(7) }, (_, i): readonly Message[] => {
    const text = generatedText(random);
    const callIds = Array.from({ length: 1 + random.below(3) }, (_, j) => `${id}-${i}-${j}`);
    const provenance = { source: "a page", version: "2", trust: "untrusted" };
    switch (random.below(5)) {
      case 0:
        return [turn("user", text)];
      case 1:
        return [turn("assistant", text)];
      case 2:
        return [{ ...turn("user", text), provenance }];
      default:
        return callTurns(callIds, text);
    }
  }).flat();
}

/** Valid sections of every kind, up to 24, of which some say the same. */
export function generatedSections(random: Random): readonly ContextSection[] {
  return Array.from({ length: random.below(25) }, (_, i) => {
    const id = `s${i}`;
    const kind = random.pick(SECTION_KINDS);
    const fields = {
      id,
      kind,
      priority: random.below(4) - 1,
      pinned: random.below(8) === 0,
      volatile: random.below(5) === 0,
      version: `v${random.below(3)}`,
    };
    if (kind === "conversation") {
      const segment = random.pick(["run_level", "goal_level"] as const);
      return section({ ...fields, segment, body: generatedTurns(random, id) });
    }
    const segment = random.pick(["run_level", "injection", "goal_level"] as const);
    const trusts = ["system", "user", "untrusted"] as const;
    const trust = random.pick(kind === "rule" || kind === "task" ? trusts.slice(0, 2) : trusts);
    const mayLead = trust === "system" && segment !== "injection" && kind !== "external" &&
      kind !== "tool_result";
    return section({
      ...fields,
      segment,
      trust,
      ...(segment === "injection" ? { channel: random.pick(["b", "a", "🌊", "\uffff"]) } : {}),
      ...(mayLead && random.below(2) === 0 ? { role: "system" as const } : {}),
      body: generatedText(random),
    });
  });
}
