import type { ActionCall, ActionExecutor } from "../../ports/mod.ts";
import {
  actionFate,
  actionOutcomeShape,
  arrayShape,
  booleanShape,
  countShape,
  functionShape,
  jsonShape,
  type JsonValue,
  memberShape,
  objectShape,
  optionalField,
  requireShape,
  stringShape,
} from "../../types/mod.ts";
import {
  actionCall,
  executed,
  type ExecutorContractOptions,
  type ExecutorSample,
  named,
  outcomeOf,
  policyOf,
} from "./_executor_bench.ts";
import { pureCases } from "./_executor_pure_cases.ts";
import { expect, expectEqual } from "./_expect.ts";
import {
  DEFAULT_GRACE_MS,
  expectShape,
  expectUnchanged,
  nextTurn,
  parametersCases,
  portCase,
  type PortSource,
  settledWithin,
  started,
} from "./_port_bench.ts";
import type { ContractCase } from "./contract_case.ts";

export type { ExecutorContractOptions, ExecutorSample } from "./_executor_bench.ts";

/**
 * The contract of an {@link ActionExecutor} as an array of cases: parameters, the outcome's form, actions that succeed,
 * fail and are refused, replay policy and completion mark, replays, what it must not change, aborts, and as far as the
 * hooks are given ids and actions at the same time.
 *
 * @example
 * ```ts
 * import { executorContract } from "@polyloop/polyloop/contract";
 * import { defineTool, ToolRegistry } from "@polyloop/polyloop/tools";
 *
 * const greet = defineTool({
 *   name: "greet",
 *   description: "Greets.",
 *   parameters: { type: "object" },
 *   execute: () => "Good morning.",
 * });
 * const cases = executorContract({
 *   makeExecutor: () => ToolRegistry.of([greet]).executor(),
 *   samples: [
 *     { action: { tool: "greet", arguments: {} }, toolName: "greet", result: "succeeds" },
 *     { action: { tool: "shout", arguments: {} }, toolName: "shout", result: "refused" },
 *   ],
 *   isShared: true,
 * });
 * for (const { name, run } of cases) {
 *   Deno.test(`my executor: ${name}`, run);
 * }
 * ```
 *
 * @throws {InvalidRequestError} If an option is not as it must be, or there is none of its name.
 */
export function executorContract<E extends ActionExecutor>(
  options: ExecutorContractOptions<E>,
): readonly ContractCase[] {
  requireShape<ExecutorContractOptions<E>>(
    "options",
    options,
    objectShape({
      makeExecutor: functionShape(),
      samples: arrayShape(
        objectShape<ExecutorSample>({
          action: jsonShape,
          toolName: optionalField(stringShape),
          result: memberShape(["succeeds", "fails", "refused"]),
        }),
      ),
      endlessAction: optionalField(jsonShape),
      idAction: optionalField(jsonShape),
      isShared: optionalField(booleanShape),
      graceMs: optionalField(countShape),
      dispose: optionalField(functionShape()),
    }),
  );
  const { makeExecutor: make, dispose, samples } = options;
  const source: PortSource<E> = { make, dispose };
  return [
    ...parametersCases(source, async (executor) => {
      for (const sample of samples) await outcomeOf(executor, sample);
    }),
    ...outcomeCases(source, samples),
    ...pureCases(source, samples),
    ...abortCases(source, options),
    ...idCases(source, options),
  ];
}

const LEADS_TO = { succeeds: "executed", fails: "failed", refused: "not_executed" } as const;

function outcomeCases<E extends ActionExecutor>(
  executors: PortSource<E>,
  samples: readonly ExecutorSample[],
): readonly ContractCase[] {
  return [
    portCase(executors, "execute() leads to what each action is", async (executor) => {
      for (const sample of samples) {
        const fate = actionFate(await outcomeOf(executor, sample));
        expectEqual(fate, LEADS_TO[sample.result], `what ${named(sample)} led to`);
      }
    }),
    portCase(executors, "execute() takes an action again after a crash", async (executor) => {
      for (const sample of samples) {
        await outcomeOf(executor, sample, { actionId: "contract/s7_a0", attempt: 1 });
        if (policyOf(executor, sample.action) !== "replayable") continue;
        await outcomeOf(executor, sample, { actionId: "contract/s7_a0", attempt: 2 });
      }
    }),
    portCase(executors, "execute() changes nothing of the action", async (executor) => {
      for (const sample of samples) {
        const { action } = sample;
        await expectUnchanged(
          { action },
          named(sample),
          (copy) => outcomeOf(executor, sample, copy),
        );
      }
    }),
  ];
}

function abortCases<E extends ActionExecutor>(
  executors: PortSource<E>,
  { samples, endlessAction, graceMs = DEFAULT_GRACE_MS }: ExecutorContractOptions<E>,
): readonly ContractCase[] {
  const settle = async (executor: E, call: ActionCall, abort: () => void | Promise<void>) => {
    const what = `execute() of ${JSON.stringify(call.action)}`;
    const work = started(() => executor.execute(call), what);
    await abort();
    const end = await settledWithin(graceMs, work, `${what}, after the abort,`);
    if (end.status === "fulfilled") {
      expectShape(end.value, actionOutcomeShape, `the outcome of ${what}`);
    }
  };
  const cases = [
    portCase(executors, "execute() settles if the signal was aborted before", async (executor) => {
      for (const { action } of samples) {
        await settle(executor, actionCall(action, { signal: AbortSignal.abort() }), () => {});
      }
    }),
    portCase(
      executors,
      "execute() is not harmed by an abort after the outcome",
      async (executor) => {
        for (const sample of samples) {
          const controller = new AbortController();
          await outcomeOf(executor, sample, { signal: controller.signal });
          controller.abort();
          await nextTurn();
          await outcomeOf(executor, sample);
        }
      },
    ),
  ];
  if (endlessAction !== undefined) {
    cases.push(portCase(executors, "execute() settles soon after an abort", async (executor) => {
      const controller = new AbortController();
      await settle(executor, actionCall(endlessAction, { signal: controller.signal }), async () => {
        await nextTurn();
        controller.abort();
      });
    }));
  }
  return cases;
}

function idCases<E extends ActionExecutor>(
  executors: PortSource<E>,
  { samples, idAction, isShared = false }: ExecutorContractOptions<E>,
): readonly ContractCase[] {
  const cases: ContractCase[] = [];
  const observe = async (executor: E, action: JsonValue, actionId: string, attempt: number) => {
    const { observation } = await executed(executor, actionCall(action, { actionId, attempt }));
    const hasBoth = observation.includes(actionId) && observation.includes(`attempt ${attempt}`);
    const what = `both "${actionId}" and "attempt ${attempt}"`;
    expect(hasBoth, `the observation "${observation.slice(0, 200)}" does not hold ${what}`);
  };
  if (idAction !== undefined) {
    cases.push(
      portCase(executors, "execute() hands on the id and the attempt", async (executor) => {
        await observe(executor, idAction, "contract/s0_a0", 1);
        await observe(executor, idAction, "contract/s0_a0", 2);
        await observe(executor, idAction, "contract/s1_a3", 1);
      }),
    );
  }
  if (isShared) {
    cases.push(portCase(executors, "execute() at the same time mixes nothing", async (executor) => {
      const runs = Array.from({ length: 8 }, (_, i) => `contract-${i}`);
      await Promise.all(runs.map(async (runId, i) => {
        for (const sample of samples) {
          const outcome = await outcomeOf(executor, sample, { actionId: `${runId}/s0` });
          const what = `what ${named(sample)} led to beside others`;
          expectEqual(actionFate(outcome), LEADS_TO[sample.result], what);
        }
        if (idAction !== undefined) await observe(executor, idAction, `${runId}/s1_a0`, i + 1);
      }));
    }));
  }
  return cases;
}
