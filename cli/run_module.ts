import type { AgentDefinition, RunOptions, RunRequest } from "../session/mod.ts";
import { loadModule, thrownWords } from "./_load_module.ts";

/**
 * What a module gives to the commands `run` and `resume`: either it exports these itself, or a function `setup` that
 * returns them or a promise of them.
 *
 * @example
 * ```ts
 * import { defineAgent, defineRun, textMessage } from "@polyloop/polyloop";
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import type { RunModule } from "@polyloop/polyloop/cli";
 * import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";
 *
 * export function setup(): RunModule {
 *   const agent = defineAgent({
 *     model: scriptedModel(['{"final_answer": 42}']),
 *     interpreter: jsonActionInterpreter(),
 *     store: jsonlStore({ dir: ".polyloop" }),
 *   });
 *   const request = defineRun({
 *     runId: "six-times-seven",
 *     budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *     executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *     context: { runLevel: [], goalLevel: [textMessage("user", "What is six times seven?")] },
 *   });
 *   return { agent, request };
 * }
 * ```
 */
export interface RunModule {
  /** The agent. Without `events` of its own its runs are shown on standard error. */
  readonly agent: AgentDefinition;
  /** The run; `--run-id` puts another id in the place of its own. */
  readonly request: RunRequest;
  /**
   * How it is driven. Absent: as by default, but that a model call that fails suspends the run. The signal, what an
   * abort does and whether a lease is broken are the command's.
   */
  readonly options?: Omit<RunOptions, "signal" | "onAbort" | "takeOver">;
  /** Lets go of what was opened, such as a sandbox; called once the run is over or suspended. */
  close?(): void | Promise<void>;
}

/** Loads the module at a path, and has it set up its run if it wants to. */
export async function loadRunModule(path: string): Promise<RunModule> {
  const { url, exports } = await loadModule(path);
  const { setup }: { readonly setup?: unknown } = exports;
  const module = typeof setup === "function" ? await setUp(path, url, setup) : exports;
  const unfit = (why: string) => new Error(`Cannot use "${path}" as ${why}`);
  if (!isRunModule(module)) {
    throw unfit(
      'it gives no agent and request: export both, or a function "setup" that returns both',
    );
  }
  const fault = extrasFault(module);
  if (fault !== undefined) throw unfit(fault);
  return module;
}

/** What an agent and a request are is looked at where they are used. */
function isRunModule(module: unknown): module is RunModule {
  const { agent, request }: { readonly agent?: unknown; readonly request?: unknown } = Object(
    module,
  );
  return Boolean(agent) && Boolean(request);
}

/** The options of a run that are no module's. */
const COMMANDS_OWN = ["signal", "onAbort", "takeOver"];

/** What is wrong with what a module gives beside an agent and a request; nothing if it will do. */
function extrasFault({ close, options = {} }: RunModule): string | undefined {
  if (close !== undefined && typeof close !== "function") return 'its "close" is no function';
  if (typeof options !== "object" || options === null) return 'its "options" are no object';
  const own = COMMANDS_OWN.find((name) => Object.hasOwn(options, name));
  if (own !== undefined) return `its options have "${own}", which the command itself sets`;
  const { onEventError } = options;
  return onEventError === undefined || typeof onEventError === "function"
    ? undefined
    : 'its option "onEventError" is no function';
}

async function setUp(path: string, url: string, setup: CallableFunction): Promise<unknown> {
  try {
    return await setup();
  } catch (cause) {
    throw new Error(`Cannot set up the run of "${path}" as ${thrownWords(cause, url)}`, { cause });
  }
}
