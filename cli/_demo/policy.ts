import type { Message } from "../../types/mod.ts";
import { exportsCell, importsCell, listCell, namesCell } from "./cells.ts";

/** What the demo's model has learnt from the observations in its prompt. */
interface Knowledge {
  readonly endings?: Readonly<Record<string, number>>;
  readonly exports?: {
    readonly modules: number;
    readonly unreadable: number;
    readonly total: number;
    readonly top: readonly Counted[];
  };
  readonly imports?: readonly Counted[];
  readonly names?: { readonly count: number };
}

type Counted = readonly [name: string, count: number];

const FACT = /^(endings|exports|imports|names) ([{[].*)$/gm;
const SCRIPT_ENDINGS = ["ts", "tsx", "mts", "js", "jsx", "mjs"];

/**
 * A model without a mind: a policy that reads every observation in its prompt and decides what is still missing. It
 * knows of no crash; it copes with one because it looks.
 *
 * @param root The folder that the question is about.
 * @param messages The prompt.
 * @returns The reply, as a model would write it.
 */
export function demoPolicy(root: string, messages: readonly Message[]): string {
  const observed = observations(messages);
  const last = observed.at(-1) ?? "";
  const lost = /(\w+) is not defined/.exec(last)?.[1];
  if (lost !== undefined) {
    const cell = lost === "files" || lost === "root"
      ? listCell(root)
      : exportsCell(moduleEndings(learn(observed).endings ?? {}));
    return say(`The session has lost "${lost}": I make it again.`, cell);
  }
  if (failedTwice(observed)) {
    return answer(`I cannot tell: the code fails with ${JSON.stringify(last)}`);
  }
  return decide(root, learn(observed));
}

function decide(root: string, { endings, exports, imports, names }: Knowledge): string {
  if (endings === undefined) return say("First I look at what there is.", listCell(root));
  const modules = moduleEndings(endings);
  if (modules.length === 0) {
    return answer(`There is no module here that I can read: ${JSON.stringify(endings)}`);
  }
  if (exports === undefined) {
    return say(
      `Most modules are "${modules[0]}". I count their exported symbols.`,
      exportsCell(modules),
    );
  }
  if (imports === undefined) return say("Now what imports what.", importsCell());
  const [first] = exports.top;
  if (first !== undefined && names === undefined) {
    return say(`I check the count of ${first[0]}.`, namesCell(first[0]));
  }
  return answer(conclusion(exports, imports, names));
}

function conclusion(
  { modules, unreadable, total, top }: NonNullable<Knowledge["exports"]>,
  imports: readonly Counted[],
  names: Knowledge["names"],
): string {
  const checked = names?.count === top[0]?.[1]
    ? "checked by name"
    : `by name it has ${names?.count}`;
  const gaps = unreadable === 0 ? "" : ` (${unreadable} of its files or folders cannot be read)`;
  const list = (items: readonly Counted[]) =>
    items.map(([name, count]) => `${count} ${name}`).join("\n  ");
  return [
    `${modules} modules export ${total} symbols${gaps}. The most (the first ${checked}):`,
    `  ${list(top)}`,
    "Which folder imports which:",
    `  ${list(imports)}`,
  ].join("\n");
}

/** The endings of the modules to read: scripts or Python, whichever there are more of. */
function moduleEndings(endings: Readonly<Record<string, number>>): readonly string[] {
  const present = Object.entries(endings).sort(([, a], [, b]) => b - a).map(([ending]) => ending);
  const main = present.find((ending) => ending === "py" || SCRIPT_ENDINGS.includes(ending));
  if (main === undefined) return [];
  return main === "py" ? ["py"] : present.filter((ending) => SCRIPT_ENDINGS.includes(ending));
}

function learn(observed: readonly string[]): Knowledge {
  const facts = observed.flatMap((text) => [...text.matchAll(FACT)]);
  return Object.fromEntries(facts.map(([, tag = "", json = "null"]) => [tag, JSON.parse(json)]));
}

function observations(messages: readonly Message[]): readonly string[] {
  const firstReply = messages.findIndex(({ role }) => role === "assistant");
  if (firstReply < 0) return [];
  return messages.slice(firstReply).filter(({ role }) => role === "user")
    .map(({ content }) => content.map((block) => block.type === "text" ? block.text : "").join(""));
}

function failedTwice(observed: readonly string[]): boolean {
  const [before, last] = observed.slice(-2);
  return last !== undefined && before === last && !new RegExp(FACT).test(last);
}

function say(thought: string, code: string): string {
  return `${thought}\n\n\`\`\`ts${code}\n\`\`\``;
}

function answer(text: string): string {
  return `\`\`\`answer\n${text}\n\`\`\``;
}
