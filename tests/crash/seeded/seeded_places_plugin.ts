/**
 * A lint plugin that reports, for every edit of the seeded bugs, each node that it selects in the tree under the working
 * folder, and what it puts there. As a plugin, since nothing else in Deno shows the syntax tree to a program that is
 * not a test.
 *
 * @module
 */
import type { Edit } from "./seeded_bug.ts";
import { SEEDED_BUGS } from "./seeded_bugs.ts";

/** What the message of a report says, as JSON. */
export interface ReportedPlace {
  readonly range: readonly [start: number, end: number];
  readonly put: string;
}

function rule({ within, find, put }: Edit): Deno.lint.Rule {
  // Selecting is slow: it is left out where a name that the selector asks for is not in the file at all.
  const asked = find.replace(/:not\(.*?\)+/g, "");
  const quoted = [...asked.matchAll(/"([^"]+)"/g)].map((match) => match[1]!);
  return {
    create(context) {
      const { filename, sourceCode: { text: source } } = context;
      const isPossible = filename.startsWith(`${Deno.cwd()}/${within}/`) &&
        quoted.every((name) => source.includes(name));
      if (!isPossible) return {};
      return {
        [find](node: Deno.lint.Node) {
          const text = (path?: string) => context.sourceCode.getText(partOf(node, path));
          const place: ReportedPlace = { range: node.range, put: put(text) };
          context.report({ node, message: JSON.stringify(place) });
        },
      };
    },
  };
}

function partOf(node: Deno.lint.Node, path: string = ""): Deno.lint.Node {
  const part = path.split(".").filter(Boolean)
    .reduce<unknown>((each, key) => (each as Record<string, unknown>)[key], node);
  if (part === undefined) throw new Error(`Cannot take "${path}" of a ${node.type}`);
  return part as Deno.lint.Node;
}

const rules = SEEDED_BUGS.flatMap(({ edits }, bug) =>
  edits.map((edit, at) => [`${bug}-${at}`, rule(edit)] as const)
);

const plugin: Deno.lint.Plugin = { name: "seeded", rules: Object.fromEntries(rules) };
export default plugin;
