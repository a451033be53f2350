import {
  arrayShape,
  canonicalJson,
  digest,
  InvalidRequestError,
  type KnownFields,
  refuseUnknownFields,
  requireCount,
  requireShape,
  toolSchemaShape,
  toolsSize,
} from "../../types/mod.ts";
import {
  type ContextHooks,
  type ContextSpec,
  type ContextTexts,
  DEFAULT_CONTEXT_TEXTS,
  type SectionFormatter,
} from "./context_spec.ts";
import { SECTION_KINDS, type SectionKind } from "./section.ts";

/** A checked spec with its defaults, and the hooks. */
export interface CheckedSpec {
  readonly maxChars: number;
  readonly trimToChars: number;
  readonly historySteps: number;
  readonly formatters: Readonly<Partial<Record<SectionKind, SectionFormatter>>>;
  readonly texts: ContextTexts;
  readonly compress: ContextHooks["compress"];
}

/** What each text must hold. */
const PLACEHOLDERS = [
  ["fenceOpen", "{marker}"],
  ["fenceClose", "{marker}"],
  ["truncationNotice", "{truncatedChars}"],
] as const;

const SPEC_FIELDS: KnownFields<ContextSpec> = {
  maxChars: true,
  trimToChars: true,
  tools: true,
  historySteps: true,
  formatters: true,
  texts: true,
};

/** Checks a spec and hooks, copies them and fills in the defaults. */
export function checkSpec(spec: ContextSpec, hooks: ContextHooks): CheckedSpec {
  refuseUnknownFields(spec, SPEC_FIELDS, { prefix: "spec." });
  // Hooks may have fields of their own, as `compress` is called as their method; without it a field is a slip of the pen.
  if (Object(hooks).compress === undefined) {
    refuseUnknownFields<ContextHooks>(hooks, { compress: true }, { prefix: "hooks." });
  }
  const { maxChars, trimToChars = maxChars, historySteps = 0 } = spec;
  if (!Number.isSafeInteger(maxChars) || maxChars < 1) {
    throw new InvalidRequestError(
      "spec.maxChars",
      maxChars,
      "it must be a whole number, 1 or more",
    );
  }
  if (!Number.isSafeInteger(trimToChars) || trimToChars < 1 || trimToChars > maxChars) {
    throw new InvalidRequestError(
      "spec.trimToChars",
      trimToChars,
      `it must be a whole number from 1 to "maxChars" (${maxChars})`,
    );
  }
  requireCount("spec.historySteps", historySteps);
  const { tools = [] } = spec;
  requireShape("spec.tools", tools, arrayShape(toolSchemaShape));
  const ofTools = toolsSize(tools);
  if (ofTools >= trimToChars) {
    const detail = `it must be more than the ${ofTools} characters of the tools`;
    throw new InvalidRequestError("spec.trimToChars", trimToChars, detail);
  }
  if (hooks.compress !== undefined && typeof hooks.compress !== "function") {
    throw new InvalidRequestError("hooks.compress", hooks.compress, "it must be a function");
  }
  return {
    maxChars: maxChars - ofTools,
    trimToChars: trimToChars - ofTools,
    historySteps,
    formatters: readFormatters(spec.formatters ?? {}),
    texts: readTexts(spec.texts ?? {}),
    compress: hooks.compress?.bind(hooks),
  };
}

function readFormatters(given: NonNullable<ContextSpec["formatters"]>): CheckedSpec["formatters"] {
  if (typeof given !== "object") {
    throw new InvalidRequestError("spec.formatters", given, "it must be an object");
  }
  for (const [kind, formatter] of Object.entries(given)) {
    if (kind === "conversation" || !SECTION_KINDS.some((known) => known === kind)) {
      throw new InvalidRequestError("spec.formatters", kind, "it must name a kind of text section");
    }
    if (formatter !== undefined && typeof formatter !== "function") {
      throw new InvalidRequestError(`spec.formatters.${kind}`, formatter, "it must be a function");
    }
  }
  return { ...given };
}

function readTexts(given: Partial<ContextTexts>): ContextTexts {
  refuseUnknownFields<Partial<ContextTexts>>(given, DEFAULT_CONTEXT_TEXTS, {
    prefix: "spec.texts.",
  });
  const texts = { ...DEFAULT_CONTEXT_TEXTS };
  for (const [name, placeholder] of PLACEHOLDERS) {
    const text = given[name] ?? texts[name];
    if (typeof text !== "string" || !text.includes(placeholder)) {
      throw new InvalidRequestError(
        `spec.texts.${name}`,
        text,
        `it must be a string that holds ${placeholder}`,
      );
    }
    texts[name] = text;
  }
  return texts;
}

/**
 * The digest of all of a spec that is data and decides what is built. Of a function it holds only that there is one: what a function writes
 * is in the digest of the output.
 */
export function specDigest(spec: CheckedSpec): string {
  const { maxChars, trimToChars, texts, formatters, compress } = spec;
  return digest(canonicalJson({
    maxChars,
    trimToChars,
    texts: { ...texts },
    formatters: SECTION_KINDS.filter((kind) => formatters[kind] !== undefined),
    compress: compress !== undefined,
  }));
}
