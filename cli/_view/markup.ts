import { harmless } from "../../types/mod.ts";

/** Markup: what was written as a template, with every hole escaped. {@link markup} makes it. */
export class Markup {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Fills a template: texts are escaped, markup stays, arrays are joined, nothing is left out. */
  static of(parts: readonly string[], holes: readonly Hole[]): Markup {
    return new Markup(
      templateOf(parts).map(({ text, isInTag }, i) =>
        text + (i < holes.length ? filled(holes[i], isInTag) : "")
      ).join(""),
    );
  }

  /** Markup that somebody wrote by hand: never with anything of a run in it. */
  static written(text: string): Markup {
    return new Markup(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template. */
export type Hole = string | number | Markup | undefined | readonly Hole[];

/**
 * Writes markup. Whatever stands in a hole is text: it can close no element and no attribute, and what a reader would not
 * see of it, or would see in another order, is shown by its number.
 */
export function markup(parts: TemplateStringsArray, ...holes: readonly Hole[]): Markup {
  return Markup.of(parts, holes);
}

/** A part of a template, and whether the hole after it is within a tag, or may be. */
interface TemplatePart {
  readonly text: string;
  readonly isInTag: boolean;
}

const templates = new WeakMap<readonly string[], readonly TemplatePart[]>();

/** The parts of a template, without its indentation, which a page of thousands of steps would repeat. */
function templateOf(parts: readonly string[]): readonly TemplatePart[] {
  const known = templates.get(parts);
  if (known !== undefined) return known;
  let before = "";
  const template = parts.map((part) => {
    before += part;
    return {
      text: part.replace(/\n\s*/g, "\n"),
      isInTag: before.lastIndexOf(">") <= before.lastIndexOf("<"),
    };
  });
  templates.set(parts, template);
  return template;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function filled(hole: Hole, isInTag: boolean): string {
  if (hole === undefined) return "";
  if (hole instanceof Markup) return hole.toString();
  if (typeof hole === "string") return escaped(hole, isInTag);
  if (typeof hole === "number") return String(hole);
  return hole.map((part) => filled(part, isInTag)).join("");
}

/** Between tags nothing but `<` and `&` is read as markup; quotes are frequent there, and long as entities. */
function escaped(text: string, isInTag: boolean): string {
  const read = isInTag ? /[&<>"']/g : /[&<]/g;
  return harmless(text).replace(read, (character) => ENTITIES[character] ?? character);
}
