/** The code point that begins at a place within the text. */
export function pointAt(text: string, place: number): number {
  return text.codePointAt(place) ?? NaN;
}

/** How many UTF-16 units the code point at that place takes. */
export function unitsAt(text: string, place: number): 1 | 2 {
  return pointAt(text, place) > 0xffff ? 2 : 1;
}

/** The first `limit` code points of a text; the whole text where it is no longer than that. */
export function firstCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let taken = 0; taken < limit && end < text.length; taken++) {
    end += unitsAt(text, end);
  }
  return text.slice(0, end);
}
