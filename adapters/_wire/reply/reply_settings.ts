import type { ModelDelta } from "../../../ports/mod.ts";
import type { ToolNames } from "../prompt/tool_names.ts";

/** What bears on how a reply is read. */
export interface ReplySettings {
  readonly names: ToolNames;
  /** The model that was asked, to mark what goes back to it. */
  readonly model: string;
  /** Takes the pieces of the reply. Absent: nobody listens. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Finish reasons that mean `stop` here. */
  readonly acceptFinishReasons: readonly string[];
  /** What becomes of thoughts that the text begins with. */
  readonly inlineThoughts: "split" | "keep";
}
