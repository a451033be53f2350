import type { Echo } from "./echo.ts";
import type { ToolNames } from "./tool_names.ts";

/** What bears on how a prompt is written. */
export interface PromptSettings {
  readonly names: ToolNames;
  /** The model that is asked. */
  readonly model: string;
  /** What of the model's own data goes back to it. */
  readonly echo: Echo;
  /** What stands for a turn of the user, or a tool's result, that says nothing. */
  readonly emptyText: string;
}
