import { type ModelReply, present } from "../../../types/mod.ts";
import { asText } from "../unknown_json.ts";
import { splitThoughts } from "./inline_thoughts.ts";

/** The texts of a reply. */
export type ReplyTexts = Pick<ModelReply, "text" | "rawText" | "reasoning">;

/** The texts of a reply of which all has come: thoughts that the text begins with are reasoning. */
export function replyTexts(
  text: string,
  reasoning: string,
  inlineThoughts: "split" | "keep",
): ReplyTexts {
  const split = inlineThoughts === "split" ? splitThoughts(text) : undefined;
  if (split === undefined) return present({ text, reasoning: asText(reasoning) });
  const thoughts = [reasoning, split.thoughts].filter((thought) => thought !== "").join("\n\n");
  return present({ text: split.text, rawText: text, reasoning: asText(thoughts) });
}
