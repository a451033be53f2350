import type { ModelReply } from "../../types/mod.ts";

/**
 * Whether the reply ends before the model was done with it: `cut` by a limit or a pause, so that what is whole before
 * the cut stands; `withdrawn` by a filter or a refusal, so that nothing of it does. Absent: neither is known.
 */
export function unfinishedState(reply: ModelReply): "cut" | "withdrawn" | undefined {
  switch (reply.finishReason) {
    case "length":
    case "pause":
      return "cut";
    case "content_filter":
    case "refusal":
      return "withdrawn";
  }
}
