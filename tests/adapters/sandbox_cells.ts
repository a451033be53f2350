/**
 * What the tests of the sandbox share: how to run a cell, and a server that sees whether its process is there.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { CodeSandbox } from "../../adapters/code_sandbox.ts";
import type { ActionOutcome } from "../../types/mod.ts";

/** Limits that no test meets by accident. */
export const LIMITS = { timeoutMs: 60_000, maxOutputChars: 2_000 };
/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** Runs a cell. */
export function execute(
  sandbox: CodeSandbox,
  code: string,
  language = "js",
  signal: AbortSignal = never,
): Promise<ActionOutcome> {
  return sandbox.execute({ action: { language, code }, actionId: "r/s0_a0", attempt: 1, signal });
}

/** Runs a cell that must be executed, and gives what it showed. */
export async function observe(
  sandbox: CodeSandbox,
  code: string,
  language?: string,
): Promise<string> {
  const { status, observation } = await execute(sandbox, code, language);
  assertEquals(status, "executed", observation);
  return observation;
}

/** Makes a step of each check of one sandbox, whose process outlives the step that starts it. */
export async function inSteps(
  t: Deno.TestContext,
  sandbox: CodeSandbox,
  checks: Readonly<Record<string, (sandbox: CodeSandbox) => Promise<void>>>,
): Promise<void> {
  for (const [name, check] of Object.entries(checks)) {
    const sanitizers = { sanitizeOps: false, sanitizeResources: false };
    await t.step({ name, fn: () => check(sandbox), ...sanitizers });
  }
}

/** A server that sees when the process of a sandbox is there, and when it is gone. */
export interface Witness {
  /** What a sandbox must be allowed for it. */
  readonly permissions: { readonly net: readonly string[] };
  /** The cell that connects to it. */
  readonly connect: string;
  /** Resolves when the cell has run. */
  connected(): Promise<{
    /** Sends a byte. */
    poke(): Promise<number>;
    /** Resolves when nobody holds the other end. */
    gone(): Promise<void>;
  }>;
}

/** Starts a witness. */
export function witness(): Witness {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`;
  return {
    permissions: { net: [host] },
    connect:
      `const witness = await Deno.connect({ hostname: "127.0.0.1", port: ${listener.addr.port} });`,
    async connected() {
      const connection = await listener.accept();
      listener.close();
      return {
        poke: () => connection.write(new Uint8Array(1)),
        async gone() {
          const end = await connection.read(new Uint8Array(1)).catch(() => null);
          connection.close();
          assertEquals(end, null);
        },
      };
    },
  };
}
