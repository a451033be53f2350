/**
 * A model that asks another again when a call fails in a way that may pass: for who has no gateway that does it.
 *
 * @example
 * ```ts
 * import { chatCompletionsModel } from "@polyloop/polyloop/adapters/chat-completions-model";
 * import { retryingModel } from "@polyloop/polyloop/adapters/retrying-model";
 *
 * const model = retryingModel(
 *   chatCompletionsModel({ baseUrl: "http://localhost:11434/v1", model: "qwen3" }),
 *   { maxAttempts: 8 },
 * );
 * ```
 *
 * @module
 */
import type { ModelPort } from "../ports/mod.ts";
import {
  InvalidRequestError,
  type KnownFields,
  ModelCallError,
  refuseUnknownFields,
} from "../types/mod.ts";
import { checkModelPort } from "./_attempts/check_model_port.ts";
import { ModelAttempts } from "./_attempts/model_attempts.ts";
import { checkWhole, LONGEST_TIMER_MS } from "./_check_whole.ts";

/** How patient a {@link retryingModel} is. */
export interface RetryingModelOptions {
  /**
   * How many attempts a call may have: a whole number, 1 or more.
   *
   * @default {5}
   */
  readonly maxAttempts?: number;
  /**
   * The most that the first wait may last, in milliseconds, 0 or more; each further one may last twice as long.
   *
   * @default {500}
   */
  readonly baseDelayMs?: number;
  /**
   * The most that any wait may last that the server did not ask for, in milliseconds, 0 or more.
   *
   * @default {30000}
   */
  readonly maxDelayMs?: number;
  /**
   * The most that all waits of a call may last together, in milliseconds, 0 or more.
   *
   * @default {300000}
   */
  readonly maxTotalMs?: number;
  /**
   * A number from 0 to 1, for the length of a wait.
   *
   * @default {Math.random}
   */
  readonly random?: () => number;
  /** Waits, and settles at once when the signal aborts. Default: the platform's timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A model that asks another one, and asks it again when a call fails with a {@link ModelCallError} that is
 * `retriable`. Before the next attempt it waits as long as the server asked (`retryAfterMs`), else a random part of a
 * bound that doubles with each attempt. A call for which the next wait would go beyond `maxTotalMs` fails at once.
 *
 * It is one call of the run all the same: the reply's `retries`, or the error's, say what it took. An error of another
 * type is thrown on as it is. After pieces of an attempt that failed, `onDelta` gets a restart. An abort ends a wait at
 * once, and so does the suspension of the run: no attempt begins after it.
 *
 * `parameters()` are those of the other model alone: patience does not bear on what the model sees.
 *
 * @throws {InvalidRequestError} If the model is none, or an option is not as it must be.
 */
export function retryingModel(model: ModelPort, options: RetryingModelOptions = {}): ModelPort {
  const patience = patienceOf(model, options);
  return {
    async call(call) {
      const attempts = new ModelAttempts(call);
      const halted = AbortSignal.any([call.signal, call.draining]);
      let waitedMs = 0;
      for (;;) {
        try {
          return await attempts.make(model);
        } catch (error) {
          call.signal.throwIfAborted();
          const isLast = attempts.made >= patience.maxAttempts;
          if (isLast || !isRetriable(error) || !attempts.mayGoOn) throw attempts.end(error);
          const waitMs = askedMs(error) ?? patience.delayMs(attempts.made);
          if (waitedMs + waitMs > patience.maxTotalMs) {
            throw attempts.end(error, tooLong(waitMs, waitedMs, patience.maxTotalMs));
          }
          await patience.sleep(waitMs, halted);
          call.signal.throwIfAborted();
          if (!attempts.mayGoOn) throw attempts.end(error);
          attempts.failed(error, waitMs);
          waitedMs += waitMs;
        }
      }
    },
    parameters: () => model.parameters(),
  };
}

const OPTIONS: KnownFields<RetryingModelOptions> = {
  maxAttempts: true,
  baseDelayMs: true,
  maxDelayMs: true,
  maxTotalMs: true,
  random: true,
  sleep: true,
};

/** How patient a model is, checked and filled in. */
interface Patience {
  readonly maxAttempts: number;
  readonly maxTotalMs: number;
  /** How long to wait after so many attempts, if the server does not say. */
  delayMs(attempts: number): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

function patienceOf(model: ModelPort, options: RetryingModelOptions): Patience {
  checkModelPort("model", model);
  refuseUnknownFields(options, OPTIONS);
  const { maxAttempts = 5, baseDelayMs = 500, maxDelayMs = 30_000, maxTotalMs = 300_000 } = options;
  const { random = Math.random, sleep = sleepUntilAborted } = options;
  checkWhole("maxAttempts", maxAttempts, 1);
  for (const [field, ms] of Object.entries({ baseDelayMs, maxDelayMs, maxTotalMs })) {
    checkWhole(field, ms, 0, LONGEST_TIMER_MS);
  }
  for (const [field, given] of Object.entries({ random, sleep })) {
    if (typeof given === "function") continue;
    throw new InvalidRequestError(field, given, "it must be a function");
  }
  const mostMs = (attempts: number) => Math.min(maxDelayMs, baseDelayMs * 2 ** (attempts - 1));
  return {
    maxAttempts,
    maxTotalMs,
    delayMs: (attempts) => Math.round(checkedUnit(random()) * mostMs(attempts)),
    sleep,
  };
}

function checkedUnit(number: number): number {
  if (typeof number === "number" && number >= 0 && number <= 1) return number;
  throw new InvalidRequestError("random", number, "it must give numbers from 0 to 1");
}

function isRetriable(error: unknown): error is ModelCallError {
  return error instanceof ModelCallError && error.retriable;
}

/** How long the server asked to wait, where that is a time: a model of another's making may give anything. */
function askedMs({ retryAfterMs }: ModelCallError): number | undefined {
  return Number(retryAfterMs) >= 0 ? Number(retryAfterMs) : undefined;
}

function tooLong(waitMs: number, waitedMs: number, maxTotalMs: number): string {
  return `no further attempt, as a wait of ${waitMs} ms after ${waitedMs} ms of waits is longer than maxTotalMs allows: ${maxTotalMs}`;
}

function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
