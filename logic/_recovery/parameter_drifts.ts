import { compareCodePoints, type ParameterDrift, present } from "../../types/mod.ts";

/** Every key in which two parameter snapshots differ, sorted by code point. */
export function parameterDrifts(
  recorded: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
): readonly ParameterDrift[] {
  const keys = new Set([...Object.keys(recorded), ...Object.keys(current)]);
  return [...keys].sort(compareCodePoints)
    .map((key) => driftOf(key, ownValue(recorded, key), ownValue(current, key)))
    .filter((drift) => drift !== undefined);
}

function ownValue(map: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function driftOf(
  key: string,
  recorded: string | undefined,
  current: string | undefined,
): ParameterDrift | undefined {
  if (recorded === current) return undefined;
  const kind = recorded === undefined ? "added" : current === undefined ? "removed" : "changed";
  return present({ key, kind, recorded, current } as const);
}
