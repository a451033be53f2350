import type { ErrorCode } from "../../types/mod.ts";

/** Fails unless a condition holds. */
export function expect(condition: boolean, failure: string): asserts condition {
  if (!condition) throw new Error(failure);
}

/** Fails unless two JSON values are equal. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, shouldBe] = [JSON.stringify(actual), JSON.stringify(expected)];
  expect(is === shouldBe, `${what}: expected ${shortened(shouldBe)}, found ${shortened(is)}`);
}

/** Fails unless a promise rejects with an error of one of the codes; gives that error. */
export async function expectRejection(
  promise: Promise<unknown>,
  codes: readonly ErrorCode[],
  what: string,
): Promise<Error> {
  const outcome = await promise.then(() => null, (error: unknown) => ({ error }));
  expect(outcome !== null, `${what}: expected a rejection (${codes.join(" or ")}), it resolved`);
  const { error } = outcome;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof Error && codes.some((one) => one === code)) return error;
  throw new Error(`${what}: expected a rejection (${codes.join(" or ")}), found ${error}`, {
    cause: error,
  });
}

function shortened(json: string | undefined): string {
  if (json === undefined || json.length <= 300) return String(json);
  return `${json.slice(0, 300)}… (${json.length} characters)`;
}
