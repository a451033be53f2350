import type { JsonValue } from "../../types/mod.ts";

/** A source of whole numbers below a bound, the same for ever: tests that draw values can be run again. */
export function drawing(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const TEXTS = [
  "",
  "a",
  "b",
  "10",
  "9",
  "__proto__",
  "🌊",
  "\uffff",
  "\ud83c",
  "é",
  "x\r\n",
  "\u2028",
  '"',
];
const SCALARS: readonly JsonValue[] = [null, true, false, 0, -1, 1.5, 1e21, ...TEXTS];

/** JSON values of every kind, drawn with a fixed seed. */
export function* jsonValues(count: number): Generator<JsonValue> {
  const draw = drawing(7);
  for (let i = 0; i < count; i++) yield jsonValue(draw, 4);
}

/** One JSON value, nested at most so deep. */
export function jsonValue(draw: (below: number) => number, depth: number): JsonValue {
  const kind = depth === 0 ? 0 : draw(3);
  if (kind === 0) return SCALARS[draw(SCALARS.length)]!;
  const values = Array.from({ length: draw(5) }, () => jsonValue(draw, depth - 1));
  if (kind === 1) return values;
  const result: Record<string, JsonValue> = {};
  for (const value of values) {
    Object.defineProperty(result, TEXTS[draw(TEXTS.length)]!, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}
