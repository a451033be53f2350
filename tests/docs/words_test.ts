import { assertEquals } from "@std/assert";
import { walk } from "@std/fs";
import { FOLDERS, GUIDES } from "../architecture/layers.ts";

const ROOT = decodeURI(new URL("../../", import.meta.url).pathname);

/** Words that say less than others, each with what to say in its place. */
const WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:seeds?|cases?|designs?|issues?) \d+\b(?!:$)/i, "the reason, not a document's number"],
  [/\b(?:must be|is not) an? (?:text|list)\b/, "string or array, where a type is meant"],
  [/\b(?:array|list|map|object) of texts\b/, "strings, where a type is meant"],
  [/\bstands? behind\b/, "after, where time or order is meant"],
  [/@throws \{\w+\} (?:When|On|Where)\b/, "@throws {…} If …, as everywhere"],
];

/** The lines of a text that have one of the words. */
function faults(path: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line, index) =>
    WORDS.filter(([pattern]) => pattern.test(line))
      .map(([, instead]) => `${path}:${index + 1}: say ${instead}: ${line.trim()}`)
  );
}

Deno.test("what is published and the guides keep to their words", async () => {
  const folders = Object.entries(FOLDERS).filter(([name, { published }]) =>
    published && name !== "."
  )
    .map(([name]) => name);
  const found: string[] = [];
  for (const folder of new Set([...folders, GUIDES.slice(0, -1), "examples"])) {
    for await (const { path } of walk(`${ROOT}${folder}`, { includeDirs: false })) {
      found.push(...faults(path.slice(ROOT.length), await Deno.readTextFile(path)));
    }
  }
  for (const path of ["README.md", "mod.ts"]) {
    found.push(...faults(path, await Deno.readTextFile(`${ROOT}${path}`)));
  }
  assertEquals(found, []);
});

Deno.test("faults() takes what is well said, and names the line of what is not", () => {
  const good = "it must be a string\na text that a model reads\n    case 0:\nafter it\n";
  assertEquals(faults("x.ts", good), []);
  for (
    const bad of [
      "(seed 0010)",
      "as case 17 has it",
      "it must be a text",
      "an array of texts",
      "a record stands behind the end",
      "@throws {TypeError} When it fails",
    ]
  ) {
    assertEquals(faults("x.ts", `good\n${bad}`).map((line) => line.slice(0, 7)), ["x.ts:2:"], bad);
  }
});
