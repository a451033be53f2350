import { commandLine } from "../command_line.ts";

/** A page of a run in a folder, and what was told of it. */
export async function viewed(
  dir: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly page: string; readonly err: string }> {
  const out = `${dir}/page.html`;
  const { code, err } = await commandLine(
    "view",
    ...words,
    "--out",
    out,
    "--store",
    `jsonl:${dir}/runs`,
  );
  return { code, page: await Deno.readTextFile(out), err };
}
