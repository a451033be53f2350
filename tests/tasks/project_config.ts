import { parse } from "@std/jsonc";

/** What the tasks and the tests want to know of `deno.json`. */
export interface ProjectConfig {
  /** The entry points: key and path. */
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly tasks: Readonly<Record<string, unknown>>;
}

/** Reads the `deno.json` of a tree. Like Deno itself it takes comments there. */
export async function projectConfig(root: URL): Promise<ProjectConfig> {
  const text = await Deno.readTextFile(new URL("deno.json", root));
  return parse(text) as unknown as ProjectConfig;
}
