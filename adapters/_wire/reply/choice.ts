import { isJsonArray, type JsonObject, type JsonValue, present } from "../../../types/mod.ts";
import { type JsonSource, textOf } from "../json_source.ts";
import { asArray, asCount, asObject, asText } from "../unknown_json.ts";
import { finishMeaning, laterWord, saysLoss } from "./finish_reason.ts";
import { OpaqueMembers } from "./opaque_members.ts";
import type { ToolCallDraft } from "./reply_tool_calls.ts";
import { WholeObjectScan } from "./whole_object_scan.ts";

/** The members of a message that are read; whatever else is there goes back as it came. */
export const MESSAGE_MEMBERS: ReadonlySet<string> = new Set([
  ...["role", "content", "tool_calls", "function_call"],
]);

/** The same for a tool call, and for its function. */
export const CALL_MEMBERS: ReadonlySet<string> = new Set(["id", "index", "type", "function"]);
export const FUNCTION_MEMBERS: ReadonlySet<string> = new Set(["name", "arguments"]);

const REASONING_MEMBERS = ["reasoning_content", "reasoning"];

/** A tool call, whole or while it arrives. */
export interface ChoiceCall extends ToolCallDraft {
  /** What only the server understands: of the call, and of its function. */
  readonly opaque: OpaqueMembers;
  readonly opaqueFunction: OpaqueMembers;
}

/** A tool call, or a piece of one. */
interface CallPiece extends ToolCallDraft {
  readonly index: number | undefined;
  readonly call: JsonObject;
  readonly function: JsonObject;
}

/** What a message, or a piece of one, says. */
export interface SaidPiece {
  readonly text: string;
  readonly reasoning: string;
}

/** One choice of an answer of Chat Completions, whole or while it arrives. */
export class Choice {
  text = "";
  reasoning = "";
  finishReason = "";
  /** Whether a part of its content is a refusal. */
  isRefused = false;
  /** Whether the server says that a filter kept some of it back. */
  isFiltered = false;
  /** Whether it has calls in a form that is not known. */
  isMalformed = false;
  readonly opaque: OpaqueMembers = new OpaqueMembers(MESSAGE_MEMBERS);
  /** The parts of its content that are no text, and where texts stand between them. */
  readonly #parts = new OpaqueMembers(new Set());
  #endsInText = false;
  calls: ChoiceCall[] = [];
  #callAtIndex = new Map<number, StreamedCall>();
  #callOfId = new Map<string, StreamedCall>();
  #last: StreamedCall | undefined;

  /** Takes a whole message: what it has stands in place of the pieces so far, unless its text is another one. */
  takeMessage(message: JsonObject, source: () => JsonSource): SaidPiece {
    const calls = callPieces(message, source).map(newCall);
    const { text, reasoning } = textsOf(message);
    const isSame = text === "" || text.startsWith(this.text);
    if (isSame && calls.length > 0) this.#forgetCalls();
    for (const call of calls) this.calls.push(call);
    if (isSame) this.opaque.forget(message);
    this.isRefused ||= holdsRefusal(message);
    this.isMalformed ||= holdsUnreadCalls(message);
    if (isSame && message.content) this.#parts.forget({ parts: 0 });
    this.opaque.take(message);
    this.#takeParts(message);
    const isSameThought = reasoning.startsWith(this.reasoning);
    return this.#say({
      text: isSame ? text.slice(this.text.length) : text,
      reasoning: isSameThought ? reasoning.slice(this.reasoning.length) : reasoning,
    });
  }

  /** Takes a piece of a message. */
  takeDelta(delta: JsonObject, source: () => JsonSource): SaidPiece {
    this.opaque.take(delta);
    this.#takeParts(delta);
    this.isRefused ||= holdsRefusal(delta);
    this.isMalformed ||= holdsUnreadCalls(delta);
    for (const piece of callPieces(delta, source)) this.#takeCallPiece(piece);
    return this.#say(textsOf(delta));
  }

  /** Takes why it ended. A gateway may translate the word of the server behind it, and lose what that said. */
  takeFinish(choice: JsonObject, source: () => JsonSource): void {
    const said = textOf(choice.finish_reason, () => source().member("finish_reason"));
    const native = asText(choice.native_finish_reason) ?? "";
    if (saysLoss(native)) this.finishReason = laterWord(this.finishReason, native);
    this.finishReason = laterWord(this.finishReason, said === "" ? otherWord(choice) : said);
    this.isFiltered ||= saysFiltered(choice);
  }

  /** The parts of its content, where some are no text; a text is a part without it. */
  get parts(): readonly JsonValue[] {
    const parts = asArray(this.#parts.value()?.parts);
    return parts.some((part) => !isText(part)) ? parts : [];
  }

  /** Whether nothing of it may be there because of a filter. */
  get isWithheld(): boolean {
    const meaning = finishMeaning(this.finishReason);
    return this.isFiltered || (meaning.kind === "reason" && meaning.reason === "content_filter");
  }

  /** Whether it says that it is over. */
  get hasEnded(): boolean {
    return this.finishReason !== "" || this.isFiltered;
  }

  #say(piece: SaidPiece): SaidPiece {
    this.text += piece.text;
    this.reasoning += piece.reasoning;
    return piece;
  }

  #takeParts({ content = null }: JsonObject): void {
    for (const part of partsIn(asText(content) === undefined ? content : [content])) {
      if (!isText(part)) this.#parts.take({ parts: [part] });
      else if (!this.#endsInText) this.#parts.take({ parts: [{ type: "text" }] });
      this.#endsInText = isText(part);
    }
  }

  #forgetCalls(): void {
    this.calls = [];
    this.#callAtIndex = new Map();
    this.#callOfId = new Map();
    this.#last = undefined;
  }

  /** A piece belongs to its index, else to its id, else to the last call, unless it shows that it starts another. */
  #takeCallPiece(piece: CallPiece): void {
    const { index, id, name, rawArguments } = piece;
    let call = index !== undefined
      ? this.#callAtIndex.get(index)
      : id !== undefined
      ? this.#callOfId.get(id)
      : this.#last;
    if (call === undefined || startsAnother(call, piece)) {
      call = { ...newCall(piece), scan: new WholeObjectScan() };
      this.calls.push(call);
      call.scan.push(rawArguments);
    } else {
      if (id !== undefined) call.id ??= id;
      call.name ||= name;
      call.opaque.take(piece.call);
      call.opaqueFunction.take(piece.function);
      if (!isSaidAgain(call, rawArguments)) {
        call.rawArguments += rawArguments;
        call.scan.push(rawArguments);
      }
    }
    this.#last = call;
    if (index !== undefined) this.#callAtIndex.set(index, call);
    if (call.id !== undefined) this.#callOfId.set(call.id, call);
  }
}

/** Whether a choice says that it is over. */
export function saysEnd(choice: JsonObject): boolean {
  return (choice.finish_reason ?? "") !== "" || otherWord(choice) !== "" || saysFiltered(choice);
}

/** Why a choice ended, under a name that servers have for it beside the usual one. */
function otherWord({ finishReason, finish_details: details }: JsonObject): string {
  return asText(finishReason) ?? asText(asObject(details)?.type) ?? "";
}

/** Whether one of the filters that a choice lists took something out; most lists are of filters that did not. */
function saysFiltered(choice: JsonObject): boolean {
  const lists = [choice.content_filter_results, choice.content_filter_result].map(asObject);
  return lists.flatMap((filters) => Object.values(filters ?? {}))
    .some((filter) => asObject(filter)?.filtered === true);
}

interface StreamedCall extends ChoiceCall {
  readonly scan: WholeObjectScan;
}

function startsAnother(call: StreamedCall, { id, name, rawArguments }: CallPiece): boolean {
  if (id !== undefined) return call.id !== undefined && call.id !== id;
  return name !== "" && rawArguments !== "" && call.scan.isWhole();
}

/** Whether arguments that are whole came once more as a whole, as some servers send them at the end. */
function isSaidAgain({ rawArguments, scan }: StreamedCall, piece: string): boolean {
  return piece !== "" && piece === rawArguments && scan.isWhole();
}

function newCall({ id, name, rawArguments, call, function: fn }: CallPiece): ChoiceCall {
  const opaque = new OpaqueMembers(CALL_MEMBERS, true);
  const opaqueFunction = new OpaqueMembers(FUNCTION_MEMBERS, true);
  opaque.take(call);
  opaqueFunction.take(fn);
  return { ...(id !== undefined && { id }), name, rawArguments, opaque, opaqueFunction };
}

/** The calls of a message, or their pieces, in order; the old form with a single call included. */
function callPieces(message: JsonObject, source: () => JsonSource): readonly CallPiece[] {
  const { tool_calls: calls } = message;
  let sources: JsonSource | undefined;
  const pieces = callsIn(calls).flatMap((value, i) => {
    const call = asObject(value);
    if (call === undefined) return [];
    const callSource = () => {
      sources ??= source().member("tool_calls");
      return isJsonArray(calls) ? sources.item(i) : sources;
    };
    const fn = asObject(call.function);
    if (fn !== undefined) return [callPiece(call, fn, () => callSource().member("function"))];
    const { name, arguments: given, ...others } = call;
    return [callPiece(others, present({ name, arguments: given }), callSource)];
  });
  const single = asObject(message.function_call);
  if (pieces.length > 0 || single === undefined) return pieces;
  return [callPiece({}, single, () => source().member("function_call"))];
}

/** The calls of a message as a list: some servers send one without it. */
function callsIn(calls: JsonValue | undefined): readonly JsonValue[] {
  const isOne = Object.keys(asObject(calls) ?? {}).length > 0;
  return isOne && calls !== undefined ? [calls] : asArray(calls);
}

/** Whether something stands in the place of calls that is none. */
function holdsUnreadCalls({ tool_calls: calls }: JsonObject): boolean {
  return asText(calls) !== undefined ||
    asArray(calls).some((call) => call !== null && asObject(call) === undefined);
}

function callPiece(call: JsonObject, fn: JsonObject, source: () => JsonSource): CallPiece {
  const id = asText(call.id);
  return {
    ...(id !== undefined && { id }),
    index: asCount(call.index),
    name: asText(fn.name) ?? "",
    rawArguments: textOf(fn.arguments, () => source().member("arguments")),
    call,
    function: fn,
  };
}

function textsOf(message: JsonObject): SaidPiece {
  const { content } = message;
  const member = REASONING_MEMBERS.map((name) => asText(message[name])).find((text) => text);
  const parts = partsIn(content);
  return {
    text: typeof content === "string" ? content : textsIn(parts),
    reasoning: (member ?? "") + parts.map(thoughtsIn).join(""),
  };
}

function holdsRefusal({ content }: JsonObject): boolean {
  return partsIn(content).some(({ type }) => type === "refusal");
}

function textsIn(parts: readonly JsonObject[]): string {
  return parts.map((part) => isText(part) ? asText(part.text) ?? "" : "").join("");
}

function isText(part: JsonValue): boolean {
  const type = asObject(part)?.type;
  return type === "text" || type === "output_text";
}

/** The thoughts that a part of a content is: a text, or texts in parts of their own. */
function thoughtsIn({ type, thinking }: JsonObject): string {
  if (type !== "thinking") return "";
  return asText(thinking) ?? textsIn(partsIn(thinking));
}

/** The parts of a content: a text in place of an object is a part of its own. */
function partsIn(value: JsonValue | undefined): readonly JsonObject[] {
  const parts = asObject(value) === undefined ? asArray(value) : [value ?? null];
  return parts.map((part) =>
    typeof part === "string" ? { type: "text", text: part } : asObject(part)
  )
    .filter((part) => part !== undefined);
}
