/**
 * Puts each value literally in place of its `{name}`; all else in the text stays as it is, other braces too.
 *
 * @example
 * ```ts
 * import { fillText } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const notice = 'There is no tool {tool}. Ask for {"tool": …}';
 * assertEquals(fillText(notice, { tool: "{x} $&" }), 'There is no tool {x} $&. Ask for {"tool": …}');
 * ```
 *
 * @param text The text, with names in braces.
 * @param values What each name stands for. A value is not looked into for further names.
 */
export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(
    /\{(\w+)\}/g,
    (field, name) => Object.hasOwn(values, name) ? String(values[name]) : field,
  );
}
