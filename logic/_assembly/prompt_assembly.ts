import {
  compareCodePoints,
  deepFreeze,
  digest,
  type Injection,
  type Message,
  messageSize,
  present,
  type RunContext,
  type StepRecord,
  textMessage,
} from "../../types/mod.ts";
import type { MessageWarning, PromptSegment, ReceiptMessage } from "../../ports/mod.ts";
import { canonicalMessage } from "./canonical_message.ts";
import { historyMessages, type HistoryStyle } from "./history.ts";

/** What a run's prompts are made of, deep-frozen. */
export interface AssemblyInputs extends HistoryStyle {
  readonly context: RunContext;
  readonly injections: Readonly<Record<string, readonly Injection[]>>;
}

/** The size and the rolling digest of a prompt. */
export interface PromptMeasure {
  readonly promptChars: number;
  readonly promptMessages: number;
  readonly promptDigest: string;
}

/** What a receipt says of a prompt beside its measure. */
export interface Receipt {
  readonly newMessages: readonly ReceiptMessage[];
  readonly sharedMessages: number;
  readonly sharedChars: number;
  readonly totals: Readonly<Record<PromptSegment, number>>;
}

/** A message that no call was sent yet. */
interface FreshMessage extends Pick<ReceiptMessage, "segment" | "source" | "size" | "chain"> {
  readonly message: Message;
}

/** The channels of an injection map in pasting order: by code point, whatever order they were inserted in. */
function channelsOf(
  injections: AssemblyInputs["injections"],
): readonly (readonly [channel: string, injections: readonly Injection[]])[] {
  return Object.entries(injections).sort(([a], [b]) => compareCodePoints(a, b));
}

/** The ids of each channel's injections, in pasting order. */
export function entryIds(
  injections: AssemblyInputs["injections"],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    channelsOf(injections).map(([channel, list]) => [channel, list.map(({ entryId }) => entryId)]),
  );
}

/**
 * The prompt of a run as it grows: run level, injections, goal level, then history, which is only ever appended to, so
 * that a provider's prompt cache reaches as far as it can. A step costs what its own messages cost, however long the
 * run is.
 */
export class PromptAssembly {
  readonly #style: HistoryStyle;
  readonly #messages: Message[] = [];
  readonly #totals: Record<PromptSegment, number> = {
    run_level: 0,
    injection: 0,
    goal_level: 0,
    history: 0,
  };
  #chars = 0;
  #chain = digest("");
  #fresh: FreshMessage[] = [];
  #sharedMessages = 0;
  #sharedChars = 0;

  /** Lays out what stands before the first step. */
  constructor({ context, injections, ...style }: AssemblyInputs) {
    this.#style = style;
    context.runLevel.forEach((message, i) => this.#add("run_level", `run[${i}]`, message));
    for (const [channel, list] of channelsOf(injections)) {
      list.forEach((injection, i) => {
        const source = `injection:${channel}/${injection.entryId}#${i}`;
        this.#add("injection", source, injectionMessage(injection));
      });
    }
    context.goalLevel.forEach((message, i) => this.#add("goal_level", `goal[${i}]`, message));
  }

  /** Appends a recorded step's messages to history. */
  addStep(step: StepRecord): void {
    for (const { part, message } of historyMessages(step, this.#style)) {
      this.#add("history", `step:${step.stepIndex}/${part}`, message);
    }
  }

  /** The present prompt's size and digest. */
  measure(): PromptMeasure {
    return {
      promptChars: this.#chars,
      promptMessages: this.#messages.length,
      promptDigest: this.#chain,
    };
  }

  /** The present prompt's messages, frozen: what was given once never changes. */
  messages(): readonly Message[] {
    return Object.freeze(this.#messages.slice());
  }

  /** What is new in the present prompt since {@link PromptAssembly.markSent}. */
  receipt(): Receipt {
    return {
      newMessages: this.#fresh.map(receiptMessage),
      sharedMessages: this.#sharedMessages,
      sharedChars: this.#sharedChars,
      totals: { ...this.#totals },
    };
  }

  /** Says that the present prompt is that of a call: the next receipt begins after it. */
  markSent(): void {
    this.#fresh = [];
    this.#sharedMessages = this.#messages.length;
    this.#sharedChars = this.#chars;
  }

  #add(segment: PromptSegment, source: string, message: Message): void {
    const size = messageSize(message);
    this.#messages.push(message);
    this.#chars += size;
    this.#totals[segment] += size;
    this.#chain = chained(this.#chain, message);
    this.#fresh.push({ segment, source, message, size, chain: this.#chain });
  }
}

/** The measure of a prompt with more messages after it. */
export function measureWith(before: PromptMeasure, messages: readonly Message[]): PromptMeasure {
  let { promptChars, promptDigest } = before;
  for (const message of messages) {
    promptChars += messageSize(message);
    promptDigest = chained(promptDigest, message);
  }
  return { promptChars, promptMessages: before.promptMessages + messages.length, promptDigest };
}

function receiptMessage({ segment, source, message, size, chain }: FreshMessage): ReceiptMessage {
  const { provenance } = message;
  return present({
    segment,
    source,
    origin: provenance?.source,
    version: provenance?.version,
    trust: provenance?.trust,
    size,
    chain,
    warnings: warningsOf(message),
  });
}

function injectionMessage({ content, provenance }: Injection): Message {
  return deepFreeze(present({ ...textMessage("user", content), provenance }));
}

/** The next link of the rolling digest. */
function chained(chain: string, message: Message): string {
  return digest(chain + canonicalMessage(message));
}

function warningsOf(message: Message): readonly MessageWarning[] {
  const texts = message.content.map((block) =>
    block.type === "tool_call" ? block.name : block.text
  );
  const warnings: MessageWarning[] = [];
  if (texts.every((text) => text === "")) warnings.push("empty_content");
  else if (texts.every((text) => text.trim() === "")) warnings.push("whitespace_only");
  if (texts.some((text) => text.includes("\r"))) warnings.push("cr_present");
  return warnings;
}
