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
      parts.map((part, i) => part + (i < holes.length ? filled(holes[i]) : "")).join(""),
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

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function filled(hole: Hole): string {
  if (hole === undefined) return "";
  if (hole instanceof Markup) return hole.toString();
  if (typeof hole === "string") return escaped(hole);
  if (typeof hole === "number") return String(hole);
  return hole.map(filled).join("");
}

function escaped(text: string): string {
  return harmless(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
