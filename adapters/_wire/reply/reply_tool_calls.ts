import { parseFaithfulJson } from "../../../logic/tools/mod.ts";
import { isJsonObject, type ReplyToolCall } from "../../../types/mod.ts";
import { asText } from "../unknown_json.ts";

/** A tool call while it arrives. */
export interface ToolCallDraft {
  /** The provider's id. Absent: none has arrived. */
  id?: string;
  /** The name on the wire; empty while none has arrived. */
  name: string;
  /** The arguments' text so far. */
  rawArguments: string;
}

/**
 * The calls of a reply whose last piece has arrived. Arguments are read once, strictly, and never repaired. A call
 * without an id, or with one that an earlier call has, gets a made-up id that no other call of the reply has.
 */
export function replyToolCalls(
  drafts: readonly ToolCallDraft[],
  toolName: (wireName: string) => string,
): readonly ReplyToolCall[] {
  const given = new Set(drafts.map((draft) => draft.id));
  const used = new Set<string>();
  let madeUp = 0;
  return drafts.map((draft) => {
    let id = asText(draft.id);
    if (id === undefined || used.has(id)) {
      do id = `made_up_${madeUp++}`; while (given.has(id));
    }
    used.add(id);
    return {
      id,
      name: toolName(draft.name),
      rawArguments: draft.rawArguments,
      ...readArguments(draft.rawArguments),
    };
  });
}

function readArguments(raw: string): Pick<ReplyToolCall, "arguments" | "argumentsError"> {
  if (/^[ \t\r\n]*$/.test(raw)) return { arguments: {} };
  const parsed = parseFaithfulJson(raw);
  if (!parsed.ok) return { arguments: null, argumentsError: parsed.error };
  return isJsonObject(parsed.value)
    ? { arguments: parsed.value }
    : { arguments: null, argumentsError: "not_object" };
}
