import type { BuiltContext, SectionReportEntry } from "../../../logic/context/mod.ts";
import { kernelPrompt } from "./generated_sections.ts";

/** Data fences that are nothing but their marker. */
export const BARE_FENCES = { fenceOpen: "{marker}", fenceClose: "{marker}" };

/** What became of each section. */
export function outcomes({ report }: BuiltContext): Readonly<Record<string, string>> {
  return Object.fromEntries(report.entries.map(({ id, outcome }) => [id, outcome]));
}

/** The entry of a section. */
export function entryOf({ report }: BuiltContext, id: string): SectionReportEntry {
  return report.entries.find((entry) => entry.id === id) as SectionReportEntry;
}

/** How many code points were cut off a section's messages. */
export function cutCharsOf({ messages = [] }: SectionReportEntry): number {
  return messages.reduce((sum, { cutChars = 0 }) => sum + cutChars, 0);
}

/** The texts and the names of calls of call 0's prompt, in order. */
export function texts(built: BuiltContext): readonly string[] {
  return kernelPrompt(built).messages.flatMap(({ content }) =>
    content.map((block) => block.type === "tool_call" ? block.name : block.text)
  );
}
