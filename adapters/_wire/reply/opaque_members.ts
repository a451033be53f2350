import {
  isJsonArray,
  isJsonObject,
  isSameJson,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from "../../../types/mod.ts";
import { tooDeep } from "../unknown_json.ts";

/** A value while it arrives: what is in it may still grow. */
type Draft = string | number | boolean | null | DraftArray | DraftObject;

type DraftObject = Map<string, Draft>;

interface DraftArray {
  readonly items: Draft[];
  /** The item of each `index` that one said. */
  readonly byIndex: Map<number, DraftObject>;
}

/** The names of what tells items apart. Their values are whole in every piece that has them. */
const LABELS: ReadonlySet<string> = new Set(["type", "id", "format", "index", "name", "role"]);

/**
 * The members of a message, or of a tool call, that only the server understands, put together from their pieces as they
 * arrive: strings are continued, items are appended, an item with an `index` continues the one that has it, and one of
 * signed thoughts the last one while that has no signature.
 */
export class OpaqueMembers {
  readonly #understood: ReadonlySet<string>;
  readonly #mayRepeat: boolean;
  readonly #members: DraftObject = new Map();

  /**
   * @param understood The names of the members that are none.
   * @param mayRepeat Whether a member that is what is there already says it again, rather than goes on.
   */
  constructor(understood: ReadonlySet<string>, mayRepeat = false) {
    this.#understood = understood;
    this.#mayRepeat = mayRepeat;
  }

  /** Takes a piece; members that say nothing are passed over. */
  take(piece: JsonObject): void {
    for (const [name, value] of Object.entries(piece)) {
      if (this.#understood.has(name) || isEmpty(value)) continue;
      const before = this.#members.get(name);
      if (this.#mayRepeat && before !== undefined && isSameJson(valueOf(before), value)) continue;
      joinMember(this.#members, name, value, 1);
    }
  }

  /** Lets go of the members that a message has, for it says them as a whole. */
  forget(message: JsonObject): void {
    for (const [name, value] of Object.entries(message)) {
      if (!isEmpty(value)) this.#members.delete(name);
    }
  }

  /** The members so far. Absent: there are none. */
  value(): JsonObject | undefined {
    return this.#members.size === 0 ? undefined : objectOf(this.#members);
  }
}

/** An empty text is no empty member: some servers want one back where they gave one. */
function isEmpty(value: JsonValue): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function joinMember(into: DraftObject, name: string, piece: JsonValue, depth: number): void {
  const before = into.get(name);
  into.set(name, before === undefined ? draftOf(piece, depth) : joined(before, piece, name, depth));
}

function joined(before: Draft, piece: JsonValue, name: string, depth: number): Draft {
  if (isEmpty(piece)) return before;
  if (typeof before === "string" && typeof piece === "string") {
    return LABELS.has(name) && before !== "" ? before : before + piece;
  }
  if (before instanceof Map && isJsonObject(piece)) {
    for (const [key, member] of Object.entries(piece)) joinMember(before, key, member, depth + 1);
    return before;
  }
  if (isDraftArray(before) && isJsonArray(piece)) {
    for (const item of piece) appendItem(before, item, depth + 1);
    return before;
  }
  return draftOf(piece, depth);
}

function appendItem(array: DraftArray, item: JsonValue, depth: number): void {
  const same = isJsonObject(item) ? begunItem(array, item) : undefined;
  if (same === undefined || !isJsonObject(item)) return pushItem(array, item, depth);
  for (const [key, member] of Object.entries(item)) joinMember(same, key, member, depth);
}

/** The item that another one continues: the one of its index, or the last one while it waits for its signature. */
function begunItem(array: DraftArray, item: JsonObject): DraftObject | undefined {
  if (typeof item.index === "number") {
    const same = array.byIndex.get(item.index);
    return same !== undefined && isSameItem(same, item) ? same : undefined;
  }
  const last = array.items.at(-1);
  if (!(last instanceof Map) || last.has("index") || !isSameItem(last, item)) return undefined;
  const isUnsigned = (last.get("signature") ?? "") === "";
  const isSigned = last.has("signature") && item.signature !== undefined;
  const areThoughts = last.get("type") === "thinking" && item.type === "thinking";
  return isUnsigned && (isSigned || areThoughts) ? last : undefined;
}

function pushItem(array: DraftArray, item: JsonValue, depth: number): void {
  const draft = draftOf(item, depth);
  array.items.push(draft);
  if (!(draft instanceof Map)) return;
  const index = draft.get("index");
  if (typeof index === "number") array.byIndex.set(index, draft);
}

/** Whether an item continues the one that has its index: another type or id makes it another item. */
function isSameItem(draft: DraftObject, item: JsonObject): boolean {
  return ["type", "id"].every((label) => {
    const [before, now] = [draft.get(label) ?? null, item[label] ?? null];
    return before === null || now === null || before === now;
  });
}

/** @throws {ModelCallError} `malformed_response`, for a value that is deeper than a log may hold. */
function draftOf(value: JsonValue, depth: number): Draft {
  if (depth > MAX_JSON_DEPTH / 2) throw tooDeep();
  if (isJsonArray(value)) {
    const array: DraftArray = { items: [], byIndex: new Map() };
    for (const item of value) pushItem(array, item, depth + 1);
    return array;
  }
  if (!isJsonObject(value)) return value;
  return new Map(
    Object.entries(value).map(([key, member]) => [key, draftOf(member, depth + 1)]),
  );
}

function isDraftArray(draft: Draft): draft is DraftArray {
  return typeof draft === "object" && draft !== null && !(draft instanceof Map);
}

function objectOf(members: DraftObject): JsonObject {
  return Object.fromEntries([...members].map(([key, member]) => [key, valueOf(member)]));
}

function valueOf(draft: Draft): JsonValue {
  if (draft instanceof Map) return objectOf(draft);
  return isDraftArray(draft) ? draft.items.map(valueOf) : draft;
}
