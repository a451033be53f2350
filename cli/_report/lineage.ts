import { counted, harmlessLine, type RunStartedRecord } from "../../types/mod.ts";

type Lineage = Pick<RunStartedRecord, "derivedFrom" | "parent" | "redactedFrom">;

/** Where a run comes from, in a line each; empty for one that comes from nowhere. */
export function lineageLines({ derivedFrom, parent, redactedFrom }: Lineage): readonly string[] {
  const lines: (readonly [heading: string, text: string])[] = [];
  if (derivedFrom !== undefined) {
    const { runId, steps, logHead, root } = derivedFrom;
    const begun = root === runId ? "" : `, in the conversation that ${root} began`;
    lines.push(["from", `${runId} after ${counted(steps, "step")} (${logHead})${begun}`]);
  }
  if (parent !== undefined) {
    lines.push(["made by", `action ${parent.actionId} of run ${parent.runId}`]);
  }
  if (redactedFrom !== undefined) {
    lines.push([
      "hidden",
      `texts of it; the log that it was made from has the head ${redactedFrom.logHead}`,
    ]);
  }
  return lines.map(([heading, text]) => heading.padEnd(9) + harmlessLine(text));
}

/** The same in a few words, for the line of a list. */
export function lineageWords({ derivedFrom, parent, redactedFrom }: Lineage): string {
  const words = [
    derivedFrom && `from ${derivedFrom.runId} after ${counted(derivedFrom.steps, "step")}`,
    parent && `made by ${parent.actionId}`,
    redactedFrom && "texts hidden",
  ].filter((text) => text !== undefined);
  return words.length === 0 ? "" : ` (${harmlessLine(words.join(", "))})`;
}
