import { InvalidRequestError } from "../../../types/mod.ts";
import { errorText } from "../_error_text.ts";
import type { FailedSourceReportEntry } from "../build_report.ts";
import { SourceFailedError } from "../context_errors.ts";
import type { ContextSection, ContextSource } from "../section.ts";
import { readSection } from "./read_section.ts";

/** What the sources gave, in declared order whatever order they answered in. */
export interface Collected {
  readonly sections: readonly ContextSection[];
  readonly failures: readonly FailedSourceReportEntry[];
}

/**
 * Stage 1. Sections that are given as such are copied before this first waits. Of several errors, the one that is
 * declared first is thrown, once all sources have settled, so that timing decides nothing.
 */
export async function collect(
  input: readonly (ContextSection | ContextSource)[],
): Promise<Collected> {
  if (!Array.isArray(input)) {
    throw new InvalidRequestError("sections", input, "it must be an array of sections or sources");
  }
  const declared = Array.from(
    input,
    (item, i) =>
      isSource(item) ? checkSource(item, `sections[${i}]`) : readSection(item, `sections[${i}]`),
  );
  const settled = await Promise.allSettled(
    declared.map((item) => isSource(item) ? ask(item) : { sections: [item], failures: [] }),
  );
  const answers = settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  return {
    sections: answers.flatMap((answer) => answer.sections),
    failures: answers.flatMap((answer) => answer.failures),
  };
}

async function ask(source: ContextSource): Promise<Collected> {
  const { name, optional } = source;
  let given: readonly ContextSection[];
  try {
    given = await source.collect();
  } catch (cause) {
    if (optional !== true) throw new SourceFailedError(name, errorText(cause), { cause });
    return {
      sections: [],
      failures: [{ id: name, outcome: "source_failed", reason: errorText(cause) }],
    };
  }
  if (!Array.isArray(given)) {
    throw new InvalidRequestError(`sources.${name}`, given, "it must give an array of sections");
  }
  return {
    sections: Array.from(given, (section, i) => readSection(section, `sources.${name}[${i}]`)),
    failures: [],
  };
}

function checkSource(source: ContextSource, place: string): ContextSource {
  if (typeof source.name === "string" && typeof source.collect === "function") return source;
  throw new InvalidRequestError(
    place,
    source.name,
    'a source must have a string "name" and a function "collect"',
  );
}

function isSource(item: ContextSection | ContextSource): item is ContextSource {
  return typeof item === "object" && item !== null && "collect" in item;
}
