/** One fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** A page of Markdown, as far as the tests want to know it. */
export interface Page {
  /** Its path from the root. */
  readonly path: string;
  readonly lines: readonly string[];
  readonly blocks: readonly Block[];
  /** The text without its blocks. */
  readonly prose: string;
  /** The targets of its links. */
  readonly links: readonly string[];
  /** The fragments by which its headings can be linked. */
  readonly anchors: readonly string[];
}

const ROOT = new URL("../../", import.meta.url);

const FENCED = /^(`{3,})(\S*)\n(.*?)^\1$/gms;

/** The README, the guides, the list of the examples, and what is said of security. */
export async function readPages(): Promise<readonly Page[]> {
  const paths = ["README.md", "SECURITY.md", "examples/README.md"];
  for await (const { name } of Deno.readDir(new URL("docs/", ROOT))) paths.push(`docs/${name}`);
  return await Promise.all(
    paths.sort().map(async (path) => readPage(path, await Deno.readTextFile(new URL(path, ROOT)))),
  );
}

/** Reads a page. */
export function readPage(path: string, text: string): Page {
  const blocks = [...text.matchAll(FENCED)]
    .map(([, , language, body]) => ({ language: language!, text: body! }));
  const prose = text.replaceAll(FENCED, "");
  return {
    path,
    lines: text.trimEnd().split("\n"),
    blocks,
    prose,
    links: [...prose.matchAll(/\[[^\]]*\]\(([^)]+)\)/g)].map(([, target]) => target!),
    anchors: [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!.toLowerCase().replaceAll(/[^\p{L}\p{N}\s-]/gu, "").replaceAll(" ", "-")
    ),
  };
}

/** The rows of the table below a heading, each as the texts of its cells. */
export function tableRows({ prose }: Page, heading: string): readonly (readonly string[])[] {
  const section = prose.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\|(.*)\|$/gm)].slice(2)
    .map(([, row]) => row!.split("|").map((cell) => cell.trim()));
}

/** What stands in backticks in a text. */
export function codeWords(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
}
