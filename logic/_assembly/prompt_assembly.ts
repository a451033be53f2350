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
import { applyEdit, type ContextEdit } from "./apply_edit.ts";
import {
  type HistoryMessage,
  historyMessages,
  type HistoryStyle,
  type MessageEdit,
} from "./history.ts";
import { type HistoryUnit, stepUnit } from "./history_unit.ts";
import type { PromptView } from "./plan_edits.ts";

/** What a run's prompts are made of, deep-frozen. */
export interface AssemblyInputs extends HistoryStyle {
  readonly context: RunContext;
  readonly injections: Readonly<Record<string, readonly Injection[]>>;
  /** Whether its history may be edited. Absent: it may not. */
  readonly isEditable?: boolean;
  /** How much was cut from each message before history when it was gathered, by its place. Absent: nobody says. */
  readonly cutChars?: ReadonlyMap<number, number>;
}

/** The size and the rolling digest of a prompt. */
export interface PromptMeasure {
  readonly promptChars: number;
  readonly promptMessages: number;
  readonly promptDigest: string;
}

/** What a receipt says of a prompt beside its measure. */
export interface Receipt {
  readonly toolsChars: number;
  readonly newMessages: readonly ReceiptMessage[];
  readonly sharedMessages: number;
  readonly sharedChars: number;
  readonly totals: Readonly<Record<PromptSegment, number>>;
}

/** A message that no call was sent yet. */
interface FreshMessage extends Omit<ReceiptMessage, "origin" | "version" | "trust" | "warnings"> {
  readonly message: Message;
}

/** A part of history, and the prompt before it. */
interface PlacedUnit {
  readonly unit: HistoryUnit;
  readonly before: PromptMeasure;
}

/** A message that an edit made, and its place in the prompt, from 0. */
export interface PlacedEdit extends MessageEdit {
  readonly message: number;
  readonly steps: HistoryUnit["steps"];
}

/** The measure of a prompt without a message. */
export function emptyMeasure(toolsChars: number): PromptMeasure {
  return { promptChars: toolsChars, promptMessages: 0, promptDigest: digest("") };
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
 * The prompt of a run as it grows: run level, injections, goal level, then history, which is only ever appended to
 * between two edits, so that a provider's prompt cache reaches as far as it can. A step costs what its own messages
 * cost, however long the run is; an edit, what stands from the edited message on.
 */
export class PromptAssembly {
  readonly #style: HistoryStyle;
  /** History's parts, where it may be edited. */
  readonly #units: PlacedUnit[] | undefined;
  readonly #messages: Message[] = [];
  /** How many messages stand before those that it holds. */
  readonly #messagesBefore: number;
  readonly #toolsChars: number;
  readonly #totals: Record<PromptSegment, number> = {
    run_level: 0,
    injection: 0,
    goal_level: 0,
    history: 0,
  };
  #chars: number;
  #chain: string;
  #fresh: FreshMessage[] = [];
  #sharedMessages = 0;
  #sharedChars = 0;

  /**
   * Lays out what stands before the first step.
   *
   * @param before What stands before that, of which only the measure is known: the tools, and messages that nobody kept.
   */
  constructor(
    { context, injections, isEditable = false, cutChars, ...style }: AssemblyInputs,
    before: PromptMeasure = emptyMeasure(0),
  ) {
    this.#style = style;
    this.#units = isEditable ? [] : undefined;
    this.#toolsChars = before.promptChars;
    this.#messagesBefore = before.promptMessages;
    this.#chars = before.promptChars;
    this.#chain = before.promptDigest;
    context.runLevel.forEach((message, i) => this.#add("run_level", `run[${i}]`, message));
    for (const [channel, list] of channelsOf(injections)) {
      list.forEach((injection, i) => {
        const source = `injection:${channel}/${injection.entryId}#${i}`;
        this.#add("injection", source, injectionMessage(injection));
      });
    }
    context.goalLevel.forEach((message, i) => this.#add("goal_level", `goal[${i}]`, message));
    this.#fresh = this.#fresh.map((message, i) =>
      present({ ...message, cutChars: cutChars?.get(i) })
    );
  }

  /** Appends a recorded step's messages to history. */
  addStep(step: StepRecord): void {
    if (this.#units !== undefined) this.#addUnit(this.#units, stepUnit(step, this.#style));
    else this.#addHistory([step.stepIndex, step.stepIndex], historyMessages(step, this.#style));
  }

  /** The present prompt as edits see it; without history where that may not be edited. */
  view(): PromptView {
    const units = this.#units?.map(({ unit }) => unit) ?? [];
    return { units, promptChars: this.#chars, style: this.#style };
  }

  /**
   * Edits history, and lays out again what stands from there on. Whether the edit fits the present prompt: by its sizes,
   * too, unless markers stand for some of the texts.
   */
  edit(edit: ContextEdit, isRedacted: boolean = false): boolean {
    const placed = this.#units;
    if (placed === undefined || !(isRedacted || edit.beforeChars === this.#chars)) return false;
    const after = applyEdit(placed.map(({ unit }) => unit), edit, this.#style);
    const first = after && placed[after.from];
    if (after === undefined || first === undefined) return false;
    placed.length = after.from;
    this.#goBackTo(first.before);
    for (const unit of after.units.slice(after.from)) this.#addUnit(placed, unit);
    return isRedacted || edit.afterChars === this.#chars;
  }

  /** The present prompt's size and digest. */
  measure(): PromptMeasure {
    return {
      promptChars: this.#chars,
      promptMessages: this.#messagesBefore + this.#messages.length,
      promptDigest: this.#chain,
    };
  }

  /** The size of the tools that go along with the prompt. */
  get toolsChars(): number {
    return this.#toolsChars;
  }

  /** The present prompt's messages, frozen: what was given once never changes. */
  messages(): readonly Message[] {
    return Object.freeze(this.#messages.slice());
  }

  /** What is new in the present prompt since {@link PromptAssembly.markSent}. */
  receipt(): Receipt {
    return {
      toolsChars: this.#toolsChars,
      newMessages: this.#fresh.map(receiptMessage),
      sharedMessages: this.#sharedMessages,
      sharedChars: this.#sharedChars,
      totals: { ...this.#totals },
    };
  }

  /** The messages that edits made, by their places. */
  editedMessages(): readonly PlacedEdit[] {
    return (this.#units ?? []).flatMap(({ unit: { messages, steps }, before }) =>
      messages.flatMap(({ edit }, i) =>
        edit === undefined ? [] : [{ message: before.promptMessages + i, steps, ...edit }]
      )
    );
  }

  /** Says that the present prompt is that of a call: the next receipt begins after it. */
  markSent(): void {
    this.#fresh = [];
    this.#sharedMessages = this.#messages.length;
    this.#sharedChars = this.#chars - this.#toolsChars;
  }

  #addUnit(placed: PlacedUnit[], unit: HistoryUnit): void {
    placed.push({ unit, before: this.measure() });
    this.#addHistory(unit.steps, unit.messages);
  }

  #addHistory([from, to]: HistoryUnit["steps"], messages: readonly HistoryMessage[]): void {
    for (const { part, message, edit } of messages) {
      const place = part === "notice" ? `steps:${from}-${to}` : `step:${from}`;
      this.#add("history", `${place}/${part}`, message, edit);
    }
  }

  /** Takes away all messages after a prompt that it once was. */
  #goBackTo({ promptChars, promptMessages, promptDigest }: PromptMeasure): void {
    const count = promptMessages - this.#messagesBefore;
    this.#totals.history -= this.#chars - promptChars;
    this.#messages.length = count;
    this.#chars = promptChars;
    this.#chain = promptDigest;
    this.#fresh.length = Math.max(0, count - this.#sharedMessages);
    if (count >= this.#sharedMessages) return;
    this.#sharedMessages = count;
    this.#sharedChars = promptChars - this.#toolsChars;
  }

  #add(
    segment: PromptSegment,
    source: string,
    message: Message,
    edit?: HistoryMessage["edit"],
  ): void {
    const size = messageSize(message);
    this.#messages.push(message);
    this.#chars += size;
    this.#totals[segment] += size;
    this.#chain = chained(this.#chain, message);
    this.#fresh.push({ segment, source, message, size, chain: this.#chain, ...markOf(edit) });
  }
}

/** How a receipt marks a message that an edit made. */
function markOf(edit: HistoryMessage["edit"]): Pick<ReceiptMessage, "editedBy" | "originalSize"> {
  return edit === undefined ? {} : { editedBy: edit.stage, originalSize: edit.originalSize };
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

function receiptMessage({ message, ...listed }: FreshMessage): ReceiptMessage {
  const { provenance } = message;
  return present({
    ...listed,
    origin: provenance?.source,
    version: provenance?.version,
    trust: provenance?.trust,
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
