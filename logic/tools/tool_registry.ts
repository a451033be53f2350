import type { ActionExecutor } from "../../ports/mod.ts";
import {
  canonicalJson,
  compareCodePoints,
  deepFreeze,
  digest,
  InvalidRequestError,
  modelTexts,
  present,
  refuseUnknownFields,
  type ToolSchema,
} from "../../types/mod.ts";
import { type RegisteredTool, toolExecutor } from "./_tool_executor.ts";
import { readSchema } from "./compile_schema.ts";
import { defineTool, type Tool } from "./define_tool.ts";
import { TOOL_TEXTS, type ToolTexts } from "./tool_texts.ts";

/** What {@link ToolRegistry.executor} takes. */
export interface ToolExecutorOptions {
  /**
   * The texts that the model is shown, where they shall not be the defaults of {@link ToolTexts}.
   */
  readonly texts?: Partial<ToolTexts>;
}

/** What only this module has: to JavaScript a private constructor is as open as any. */
const KEY: unique symbol = Symbol("ToolRegistry");

/**
 * An immutable set of tools: the one source of what the model may see, of which tools exist, of which arguments they
 * take, of how an action reaches them, of what may be replayed and of what completes a run. Its order is that of the
 * names by code point, whatever order the tools were given in, so that equal sets give equal requests.
 *
 * @example
 * ```ts
 * import { defineTool, ToolRegistry } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const tools = ToolRegistry.of([
 *   defineTool({
 *     name: "greet",
 *     description: "Greets somebody.",
 *     parameters: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
 *     execute: ({ who }) => `Hello ${who}!`,
 *   }),
 * ]);
 * const outcome = await tools.executor().execute({
 *   action: { tool: "greet", arguments: { who: "Ada" } },
 *   actionId: "demo/s0_a0",
 *   attempt: 1,
 *   signal: new AbortController().signal,
 * });
 * assertEquals(outcome.observation, "Hello Ada!");
 * ```
 */
export class ToolRegistry {
  /** The names of the tools, in order. */
  readonly names: readonly string[];
  readonly #tools: ReadonlyMap<string, RegisteredTool>;
  readonly #schemas: readonly ToolSchema[];

  private constructor(tools: readonly RegisteredTool[], key: typeof KEY) {
    if (key !== KEY) {
      throw new InvalidRequestError("tools", tools, "a registry is made by ToolRegistry.of([…])");
    }
    const ordered = tools.toSorted((a, b) => compareCodePoints(a.tool.name, b.tool.name));
    this.#tools = new Map(ordered.map((registered) => [registered.tool.name, registered]));
    this.names = Object.freeze([...this.#tools.keys()]);
    this.#schemas = deepFreeze(
      ordered.map(({ tool: { name, description }, schema }) => ({
        name,
        description,
        parameters: schema.inCurrentForm(),
      })),
    );
    Object.freeze(this);
  }

  /**
   * Makes a registry.
   *
   * @throws {InvalidRequestError} If two tools have the same name, or one is not as {@link defineTool} makes it.
   * @throws {UnsupportedSchemaError} If the parameters of one are not a supported schema.
   */
  static of(tools: readonly Tool[]): ToolRegistry {
    if (!Array.isArray(tools)) {
      throw new InvalidRequestError("tools", tools, "it must be an array of tools");
    }
    const names = new Set<string>();
    const registered = Array.from(tools, (given, i) => {
      if (typeof given !== "object" || given === null || Array.isArray(given)) {
        throw new InvalidRequestError(`tools[${i}]`, given, "it must be a tool");
      }
      const { delegate, ...spec } = given;
      const tool: Tool = Object.freeze(present({ ...defineTool(spec), delegate }));
      if (names.has(tool.name)) {
        throw new InvalidRequestError(
          `tools[${i}].name`,
          tool.name,
          "another tool has that name already",
        );
      }
      names.add(tool.name);
      return { tool, schema: readSchema(tool.parameters) };
    });
    return new ToolRegistry(registered, KEY);
  }

  /**
   * Some of the tools, as a registry.
   *
   * @throws {InvalidRequestError} If there is no tool of one of the names.
   */
  subset(names: Iterable<string>): ToolRegistry {
    if (typeof names === "string" || typeof Object(names)[Symbol.iterator] !== "function") {
      throw new InvalidRequestError("names", names, "it must be an array of names");
    }
    const named = [...new Set(names)].map((name) => this.#named("names", name));
    return new ToolRegistry(named, KEY);
  }

  /**
   * What a model may see of the tools, in order; deep-frozen. Their parameters are as draft 2020-12 writes them,
   * whatever dialect they were given in: without `$schema` and `$id`, each `$ref` a JSON pointer from the root.
   */
  schemaForModel(): readonly ToolSchema[] {
    return this.#schemas;
  }

  /**
   * The executor of these tools. Its actions are `{tool, arguments}`; an unknown tool, another form, and arguments
   * that do not fit the tool's schema are `not_executed`, with every failing place named. A tool that throws once the
   * run is aborted makes `execute` throw: nobody knows then how far it came.
   *
   * @throws {InvalidRequestError} If there is no option of a name, or a text is not a string or has a name that no text
   * of {@link ToolTexts} has.
   */
  executor(options: ToolExecutorOptions = {}): ActionExecutor {
    refuseUnknownFields<ToolExecutorOptions>(options, { texts: true });
    const toolsDigest = digest(
      canonicalJson(this.names.map((name) => [name, this.toolDigest(name)])),
    );
    return toolExecutor(this.#tools, toolsDigest, modelTexts(TOOL_TEXTS, options.texts));
  }

  /**
   * The digest of what a tool is, its code aside: the canonical JSON of its description, parameters, replay policy,
   * completion mark and, where it has them, its limits of observation and time, that it is concurrent, and the
   * parameters of the executor behind it.
   *
   * @throws {InvalidRequestError} If there is no tool of that name.
   */
  toolDigest(name: string): string {
    const { description, parameters, replay, completes, ...more } = this.#named("name", name).tool;
    const { maxObservationChars, timeoutMs, delegate } = more;
    const identity = {
      description,
      parameters,
      replay,
      completes,
      maxObservationChars,
      timeoutMs,
      concurrent: more.concurrent ? true : undefined,
      executor: delegate?.parameters(),
    };
    return digest(canonicalJson(present(identity)));
  }

  #named(field: string, name: string): RegisteredTool {
    const registered = this.#tools.get(name);
    if (registered !== undefined) return registered;
    throw new InvalidRequestError(
      field,
      name,
      `there is no tool of that name, only ${this.names.join(", ") || "none"}`,
    );
  }
}
