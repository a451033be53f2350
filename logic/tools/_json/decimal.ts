/** A decimal number as its significant digits times a power of ten. Zero has no digits. */
export interface Decimal {
  /** Whether it has a minus sign. */
  readonly negative: boolean;
  /** The digits, without zeros at either end. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

/** Reads a number as JSON and JavaScript write it. */
export function readDecimal(written: string): Decimal {
  const negative = written.startsWith("-");
  const [mantissa = "", power = "0"] = written.slice(negative ? 1 : 0).toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  if (start === end) return { negative, digits: "", exponent: 0 };
  const exponent = Number(power) - fraction.length + all.length - end;
  return { negative, digits: all.slice(start, end), exponent };
}

/** Whether one decimal number divides another without a rest, exactly. The divisor is not zero. */
export function divides(divisor: Decimal, value: Decimal): boolean {
  const unit = Math.min(divisor.exponent, value.exponent);
  return inUnits(value, unit) % inUnits(divisor, unit) === 0n;
}

function inUnits(decimal: Decimal, unit: number): bigint {
  return BigInt(decimal.digits) * 10n ** BigInt(decimal.exponent - unit);
}
