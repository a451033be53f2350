import { takeCodePoints } from "./code_points.ts";
import { fillText } from "./fill_text.ts";

/** How many code points of a name are shown back to the model that made it up. */
const NAME_CHARS = 80;

/** A text as an observation quotes it: as JSON, cut to 80 code points. */
export function quotedName(name: string): string {
  const kept = takeCodePoints(name, NAME_CHARS);
  return `${JSON.stringify(kept)}${kept === name ? "" : "…"}`;
}

/** The tools that there are, as an observation lists them. */
export function listedTools(names: readonly string[]): string {
  return names.join(", ") || "none";
}

/**
 * What the model is told of an action whose tool is none of those that it can see. Absent: the action may be tried,
 * since its tool is visible, or it names none, or nobody says which ones are.
 *
 * @param text What is told; `{tool}` stands for the tool that it asked for, `{visible}` for those that there are.
 */
export function toolNotVisibleText(
  text: string,
  toolName: string | undefined,
  visible: readonly string[] | undefined,
): string | undefined {
  if (toolName === undefined || visible === undefined || visible.includes(toolName)) {
    return undefined;
  }
  return fillText(text, { tool: quotedName(toolName), visible: listedTools(visible) });
}
