/**
 * The context builder: what a project uses to gather, order and trim the texts that a run starts from. It gives
 * context, injections and fingerprints for `defineRun`, and a report of every section that was collected. A run does
 * not need it, and it does nothing during a run.
 *
 * @example
 * ```ts
 * import { buildContext, type ContextSource } from "@polyloop/polyloop/context";
 * import { assertEquals } from "@std/assert";
 *
 * const memories: ContextSource = {
 *   name: "memories",
 *   optional: true,
 *   collect: () => Promise.reject(new Error("the database is away")),
 * };
 * const { context, injections, fingerprints, report } = await buildContext([
 *   {
 *     id: "task",
 *     kind: "task",
 *     segment: "goal_level",
 *     trust: "user",
 *     priority: 0,
 *     source: "command line",
 *     version: "1",
 *     body: "Name a river.",
 *   },
 *   memories,
 * ], { maxChars: 10_000 });
 *
 * assertEquals(context.goalLevel.length, 1);
 * assertEquals(injections, {});
 * assertEquals(Object.keys(fingerprints), ["context_builder.spec", "context_builder.output"]);
 * assertEquals(report.entries.map((entry) => entry.outcome), ["included", "source_failed"]);
 * ```
 *
 * @module
 */
export * from "./build_context.ts";
export * from "./build_report.ts";
export * from "./context_errors.ts";
export * from "./context_spec.ts";
export * from "./section.ts";
