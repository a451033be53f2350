import type { FinishReason, ModelReply } from "../../types/mod.ts";

/** A reply that ends before the model was done with it, and why. */
export interface UnfinishedState {
  /** `cut`: what is whole before the cut stands. `withdrawn`: nothing of it does. */
  readonly kind: "cut" | "withdrawn";
  /** Why it ends there. */
  readonly reason: FinishReason;
}

/** What is known of a reply that was cut by a limit or a pause, or withdrawn by a filter or a refusal. Absent: neither. */
export function unfinishedState({ finishReason: reason }: ModelReply): UnfinishedState | undefined {
  switch (reason) {
    case "length":
    case "pause":
      return { kind: "cut", reason };
    case "content_filter":
    case "refusal":
      return { kind: "withdrawn", reason };
  }
}
