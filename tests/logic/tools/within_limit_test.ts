import { assert, assertEquals, assertRejects } from "@std/assert";
import { withinLimit } from "../../../logic/tools/_within_limit.ts";

const AT_ONCE = { timeoutMs: 1, settleMs: 1 };
const LATE = { timeoutMs: 1, settleMs: 60_000 };
const NEVER = { timeoutMs: 60_000, settleMs: 60_000 };
const TOO_LONG = new Error("too long");
const run = () => new AbortController().signal;

/** Work that settles only when its signal aborts. */
function whenAborted<T>(then: (reason: unknown) => T): (signal: AbortSignal) => Promise<T> {
  return (signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => {
        try {
          resolve(then(signal.reason));
        } catch (error) {
          reject(error);
        }
      });
    });
}

Deno.test("withinLimit() gives what work settles with in time", async () => {
  assertEquals(await withinLimit(() => 1, NEVER, run(), TOO_LONG), { value: 1 });
  assertEquals(await withinLimit(() => undefined, NEVER, run(), TOO_LONG), { value: undefined });
  const fails = () => {
    throw new RangeError("mine");
  };
  await assertRejects(() => withinLimit(fails, NEVER, run(), TOO_LONG), RangeError, "mine");
});

Deno.test("withinLimit() aborts work that takes too long, and takes what it settles with then", async () => {
  const settled = await withinLimit(whenAborted((reason) => reason), LATE, run(), TOO_LONG);
  assert(settled?.value === TOO_LONG);
  const throwing = whenAborted((reason) => {
    throw reason;
  });
  await assertRejects(() => withinLimit(throwing, LATE, run(), TOO_LONG), Error, "too long");
});

Deno.test("withinLimit() gives up what does not settle, and hears no more of it", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  assertEquals(await withinLimit(() => promise, AT_ONCE, run(), TOO_LONG), undefined);
  reject(new Error("nobody hears of it"));
});

Deno.test("withinLimit() aborts work with the run, also where that was aborted before", async () => {
  const controller = new AbortController();
  const work = withinLimit(whenAborted((reason) => reason), NEVER, controller.signal, TOO_LONG);
  controller.abort("enough");
  assertEquals(await work, { value: "enough" });
  const hanging = withinLimit(
    () => new Promise<never>(() => {}),
    { timeoutMs: 60_000, settleMs: 1 },
    controller.signal,
    TOO_LONG,
  );
  assertEquals(await hanging, undefined);
  const early = await withinLimit(({ aborted }) => aborted, NEVER, controller.signal, TOO_LONG);
  assertEquals(early, { value: true });
});
