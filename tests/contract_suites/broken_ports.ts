/**
 * Holds a contract's cases against ports that break it, one fault each.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ContractCase } from "../contract/mod.ts";

/** A fault, the cases that a port with that fault is held against, and the name of the case that must catch it. */
export interface BrokenPort {
  readonly fault: string;
  readonly cases: readonly ContractCase[];
  readonly caughtBy: string;
}

/** Tests that a port which keeps the contract passes, each fault is caught, and each case catches one. */
export function testSuite(
  subject: string,
  sound: readonly ContractCase[],
  broken: readonly BrokenPort[],
): void {
  for (const { name, run } of sound) Deno.test(`${subject} passes a sound port: ${name}`, run);
  for (const { fault, cases, caughtBy } of broken) {
    Deno.test(`${subject} catches a port that ${fault}`, async () => {
      const one = cases.find(({ name }) => name === caughtBy);
      assert(one !== undefined, `the contract has no case "${caughtBy}"`);
      const error = await assertRejects(async () => await one.run(), Error);
      assertEquals(Object.getPrototypeOf(error), Error.prototype, `${error}`);
      assert(error.message.length > 20, `${error}`);
    });
  }
  Deno.test(`${subject} has no case that cannot fail`, () => {
    const caught = new Set(broken.map(({ caughtBy }) => caughtBy));
    assertEquals(sound.map(({ name }) => name).filter((name) => !caught.has(name)), []);
  });
}

/** Texts that change with every question: what no port may report. */
export function unstable(): () => Readonly<Record<string, string>> {
  let asked = 0;
  return () => ({ asked: String(asked++) });
}
