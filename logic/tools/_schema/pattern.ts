/**
 * A pattern of a JSON Schema as a regular expression, read as Unicode.
 *
 * Many are written without the flag `u` in mind. Under it some are no expressions that mean the same without it; they
 * are read as what they mean: a backslash before a sign that needs none (`\@`, `\-`, `\_`), a lone brace or bracket, a
 * hyphen beside a class inside a class (`[\w-.]`). A backslash before a letter or digit, and a brace before a count
 * (`{,3}`), are left as they are: in other languages they mean something else.
 *
 * @throws {SyntaxError} If it is not a regular expression.
 */
export function readPattern(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    const strict = withoutLooseSigns(source);
    if (strict === source) throw error;
    return new RegExp(strict, "u");
  }
}

/** One escape, one quantifier in braces, or one sign. */
const PIECE = /\\(?:[pPu]\{[^{}]{0,99}\}|k<[^<>]{0,99}>|[^])|\{\d{1,99}(?:,\d{0,99})?\}|[^]/gu;

function withoutLooseSigns(source: string): string {
  const pieces = source.match(PIECE) ?? [];
  let inClass = false;
  return pieces.map((piece, i) => {
    const wasInClass = inClass;
    if (piece === "[") inClass = true;
    if (piece === "]") inClass = false;
    return wasInClass && inClass ? inClassSign(pieces, i) : outsideSign(pieces, i, wasInClass);
  }).join("");
}

function outsideSign(pieces: readonly string[], i: number, endsClass: boolean): string {
  const piece = pieces[i] ?? "";
  if (NEEDLESS_ESCAPE.test(piece)) return piece.slice(1);
  if (endsClass || !/^[{}\]]$/.test(piece)) return piece;
  const opensCount = piece === "{" && /^[\d,]/.test(pieces[i + 1] ?? "");
  return opensCount ? piece : `\\${piece}`;
}

function inClassSign(pieces: readonly string[], i: number): string {
  const piece = pieces[i] ?? "";
  if (piece === "-" && (isClass(pieces[i - 1]) || isClass(pieces[i + 1]))) return "\\-";
  return NEEDLESS_ESCAPE.test(piece) && piece !== "\\-" ? piece.slice(1) : piece;
}

/** A backslash before a sign that is neither a letter, a digit nor of the syntax. */
const NEEDLESS_ESCAPE = /^\\[^\p{L}\p{N}^$\\.*+?()[\]{}|/]$/u;

function isClass(piece: string | undefined): boolean {
  return piece !== undefined && /^\\[dDsSwWpP]/.test(piece);
}
