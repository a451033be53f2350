import {
  canonicalJson,
  type CheckedShape,
  copyShaped,
  deepFreeze,
  errorInfo,
  type Shape,
} from "../../types/mod.ts";
import { expect, expectEqual } from "./_expect.ts";
import type { ContractCase } from "./contract_case.ts";

/** The cancel grace of a run where none is given, in milliseconds. */
export const DEFAULT_GRACE_MS = 5_000;

/** Where a suite gets the port of a case, and what becomes of it afterwards. */
export interface PortSource<P> {
  /** Makes a port. */
  readonly make: () => P | Promise<P>;
  /** Closes it. */
  readonly dispose: ((port: P) => void | Promise<void>) | undefined;
}

/** Makes a case that gets a port of its own. */
export function portCase<P>(
  source: PortSource<P>,
  name: string,
  body: (port: P) => void | Promise<void>,
): ContractCase {
  return { name, run: () => withPort(source, body) };
}

/** What every port promises of its `parameters()`; `use` makes use of the port as a run does. */
export function parametersCases<P extends { parameters(): unknown }>(
  source: PortSource<P>,
  use: (port: P) => Promise<unknown>,
): readonly ContractCase[] {
  return [
    portCase(source, "parameters() gives a flat map of strings", (port) => {
      expectTexts(parametersOf(port));
    }),
    portCase(source, "parameters() gives the same before and after use", async (port) => {
      const before = canonicalJson(parametersOf(port));
      expectEqual(canonicalJson(parametersOf(port)), before, "parameters() the second time");
      await use(port);
      expectEqual(canonicalJson(parametersOf(port)), before, "parameters() after use");
    }),
    portCase(source, "parameters() of a port made anew are the same", async (port) => {
      const before = canonicalJson(parametersOf(port));
      await withPort(source, (other) => {
        expectEqual(canonicalJson(parametersOf(other)), before, "parameters() of another");
      });
    }),
  ];
}

/** Starts what a port does asynchronously: fails if it throws, which only a promise may, or gives no promise. */
export function started<T>(start: () => Promise<T>, what: string): Promise<T> {
  let work: unknown;
  try {
    work = start();
  } catch (cause) {
    throw new Error(`${what} threw rather than rejected: ${shown(cause)}`, { cause });
  }
  expect(typeof Object(work).then === "function", `${what} gave no promise`);
  return Promise.resolve(work as Promise<T>);
}

/** What a promise that must not reject resolves to. */
export async function resolved<T>(work: T | Promise<T>, what: string): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new Error(`${what} failed: ${shown(cause)}`, { cause });
  }
}

/** How a promise settled; fails if it has not within `ms` milliseconds. */
export async function settledWithin<T>(
  ms: number,
  work: Promise<T>,
  what: string,
): Promise<PromiseSettledResult<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<readonly []>((resolve) => timer = setTimeout(() => resolve([]), ms));
  const [end] = await Promise.race([Promise.allSettled([work]), limit]);
  clearTimeout(timer);
  expect(end !== undefined, `${what} has not settled within ${ms} ms`);
  return end;
}

/** Lets everything that is due happen first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Fails unless a value has a shape, and a log can keep it as it is. */
export function expectShape<T>(value: unknown, shape: Shape<T>, what: string): void {
  let copied: CheckedShape<T>;
  try {
    copied = copyShaped(value, shape);
  } catch (cause) {
    throw new Error(`${what}: reading it threw ${shown(cause)}`, { cause });
  }
  if (copied.ok) return;
  throw new Error(`${what}: a log cannot keep $${copied.fault.path}: ${copied.fault.reason}`);
}

/** Fails if a port changes what it is given. It gets a copy that can be changed, unlike what a run hands over. */
export async function expectUnchanged<T extends object>(
  value: T,
  what: string,
  use: (copy: T) => Promise<unknown>,
): Promise<void> {
  const copy = structuredClone(value);
  await use(copy);
  expectEqual(JSON.stringify(copy), JSON.stringify(value), `${what} after use`);
}

/** A deep-frozen copy. */
export function frozen<T>(value: T): T {
  return deepFreeze(structuredClone(value));
}

/** What was thrown, in few words. */
export function shown(thrown: unknown): string {
  const { name, message } = errorInfo(thrown);
  return `${name}: ${message.slice(0, 300)}`;
}

async function withPort<P>(
  { make, dispose }: PortSource<P>,
  body: (port: P) => void | Promise<void>,
): Promise<void> {
  const port = await make();
  try {
    await body(port);
  } finally {
    await dispose?.(port);
  }
}

function parametersOf(port: { parameters(): unknown }): object {
  let parameters: unknown;
  try {
    parameters = port.parameters();
  } catch (cause) {
    throw new Error(`parameters() threw ${shown(cause)}`, { cause });
  }
  const prototype = typeof parameters === "object" && parameters !== null
    ? Object.getPrototypeOf(parameters)
    : undefined;
  expect(
    prototype === Object.prototype || prototype === null,
    "parameters() gave no plain object",
  );
  return parameters as object;
}

function expectTexts(parameters: object): void {
  for (const key of Reflect.ownKeys(parameters)) {
    const value: unknown = Reflect.get(parameters, key);
    expect(
      typeof key === "string" && typeof value === "string",
      `parameters() gave something else than a string under ${String(key)}`,
    );
  }
}
