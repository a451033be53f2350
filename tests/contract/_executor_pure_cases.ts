import type { ActionExecutor } from "../../ports/mod.ts";
import { type JsonValue, REPLAY_POLICIES } from "../../types/mod.ts";
import { answered, type ExecutorSample, named, policyOf } from "./_executor_bench.ts";
import { expect, expectEqual } from "./_expect.ts";
import { hostileTexts } from "./_hostile_texts.ts";
import { expectUnchanged, frozen, portCase, type PortSource } from "./_port_bench.ts";
import type { ContractCase } from "./contract_case.ts";

/** What an executor is asked about an action or a tool, without executing anything. */
export function pureCases<E extends ActionExecutor>(
  executors: PortSource<E>,
  samples: readonly ExecutorSample[],
): readonly ContractCase[] {
  const actions = [...samples.map(({ action }) => action), ...junkActions()];
  const names = ["", "constructor", ...hostileTexts()];
  return [
    portCase(executors, "replayPolicy() answers for any action, the same each time", (executor) => {
      for (const action of actions) {
        const what = `replayPolicy() of ${JSON.stringify(action).slice(0, 80)}`;
        const policy = policyOf(executor, frozen(action));
        expect(REPLAY_POLICIES.includes(policy), `${what} is neither never nor replayable`);
        expectEqual(policyOf(executor, frozen(action)), policy, `${what} the second time`);
      }
    }),
    portCase(executors, "replayPolicy() of a refused action is replayable", (executor) => {
      if (executor.replayPolicy === undefined) return;
      for (const sample of samples.filter(({ result }) => result === "refused")) {
        const policy = policyOf(executor, frozen(sample.action));
        expectEqual(policy, "replayable", `replayPolicy() of ${named(sample)}`);
      }
    }),
    portCase(executors, "replayPolicy() changes nothing of the action", async (executor) => {
      for (const action of actions) {
        await expectUnchanged(
          { action },
          "an action",
          (copy) => Promise.resolve(policyOf(executor, copy.action)),
        );
      }
    }),
    portCase(executors, "concurrent() answers for any action, the same each time", (executor) => {
      if (executor.concurrent === undefined) return;
      for (const action of actions) {
        const what = `concurrent() of ${JSON.stringify(action).slice(0, 80)}`;
        const ask = () => answered(() => executor.concurrent!(frozen(action)), what);
        const concurrent = ask();
        expect(typeof concurrent === "boolean", `${what} is neither true nor false`);
        expectEqual(ask(), concurrent, `${what} the second time`);
      }
    }),
    portCase(executors, "concurrent() of a refused action is true", (executor) => {
      if (executor.concurrent === undefined) return;
      for (const sample of samples.filter(({ result }) => result === "refused")) {
        const what = `concurrent() of ${named(sample)}`;
        expectEqual(executor.concurrent(frozen(sample.action)), true, what);
      }
    }),
    portCase(executors, "toolNames has the tools that it dispatches to", (executor) => {
      const { toolNames } = executor;
      if (toolNames === undefined) return;
      const areTexts = Array.isArray(toolNames) &&
        toolNames.every((name) => typeof name === "string");
      expect(areTexts, "toolNames is no array of strings");
      for (const sample of samples.filter(({ result }) => result !== "refused")) {
        const { toolName } = sample;
        if (toolName === undefined) continue;
        expect(toolNames.includes(toolName), `toolNames lacks the tool of ${named(sample)}`);
      }
    }),
    portCase(executors, "completes() answers for any name, the same each time", (executor) => {
      if (executor.completes === undefined) return;
      const tools = samples.flatMap(({ toolName }) => toolName === undefined ? [] : [toolName]);
      for (const name of [...tools, ...names]) {
        const what = `completes() of ${JSON.stringify(name.slice(0, 40))}`;
        const completes = answered(() => executor.completes!(name), what);
        expect(typeof completes === "boolean", `${what} is neither true nor false`);
        const again = answered(() => executor.completes!(name), what);
        expectEqual(again, completes, `${what} the second time`);
      }
    }),
  ];
}

/** Actions that no executor was made for. They are asked about, never executed. */
function junkActions(): readonly JsonValue[] {
  return [
    ...[null, true, 0, -1.5, [], [[]], {}, { tool: null }, { "": "" }],
    { tool: "__proto__", arguments: {} },
    { tool: "constructor", arguments: { constructor: null } },
    JSON.parse('{"__proto__": {"tool": "x"}, "tool": "x", "arguments": {"__proto__": 1}}'),
    JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`),
    ...hostileTexts().flatMap((text) => [text, { tool: text, arguments: text, code: text }]),
    ...hostileTexts().map((text) => ({ command: text })),
  ];
}
