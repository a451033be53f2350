import type { Documentation } from "./public_api.ts";
import type { Doc } from "./type_text.ts";

/** The names that a module exports. */
export function exportedNames({ nodes }: Documentation, module: URL): readonly string[] {
  return nodes[module.href]!.symbols.map(({ name }) => name);
}

/**
 * The types of these modules that the exports of one of them mention in their signatures and that it does not export
 * itself: each as `Mentioned, by Mentioning`.
 */
export function hiddenTypes(documentation: Documentation, module: URL): readonly string[] {
  const types = new Set<string>();
  for (const { symbols } of Object.values(documentation.nodes)) {
    for (const { name, declarations } of symbols) {
      if (declarations.some(({ kind }) => TYPES.includes(kind))) types.add(name);
    }
  }
  const exported = exportedNames(documentation, module);
  const hidden = new Set<string>();
  for (const { symbols } of Object.values(documentation.nodes)) {
    for (const { name, declarations } of symbols) {
      if (!exported.includes(name)) continue;
      for (const mentioned of mentionedNames(declarations.map(({ def }) => def))) {
        if (types.has(mentioned) && !exported.includes(mentioned)) {
          hidden.add(`${mentioned}, by ${name}`);
        }
      }
    }
  }
  return [...hidden].sort();
}

const TYPES = ["interface", "class", "typeAlias"];

/** Every name that a signature mentions, but for what is private to a class. */
function mentionedNames(doc: Doc): readonly string[] {
  if (Array.isArray(doc)) return doc.flatMap(mentionedNames);
  if (typeof doc !== "object" || doc === null || doc.accessibility === "private") return [];
  const base = typeof doc.extends === "string" ? [doc.extends] : [];
  const own = typeof doc.typeName === "string" ? [doc.typeName] : [];
  return [...base, ...own, ...Object.values(doc).flatMap(mentionedNames)];
}
