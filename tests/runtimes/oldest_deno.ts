import { walk } from "@std/fs";
import { parse } from "@std/jsonc";
import { standardLibraryFlags } from "../closed_network/standard_library.ts";
import { projectConfig } from "../tasks/project_config.ts";
import { pathFromRoot } from "../architecture/place.ts";

/** The oldest Deno that the kernel and the memory store run on, as `npx` fetches it. */
export const OLDEST = "deno@2.5.0";

const ROOT = new URL("../../", import.meta.url);

/** What became of a command. */
export interface Outcome {
  readonly success: boolean;
  readonly output: string;
}

/** Where the oldest Deno is. Absent: it cannot be had, as there is no `npx` or npm is out of reach. */
export async function findOldestDeno(): Promise<string | undefined> {
  try {
    const args = ["--yes", OLDEST, "eval", "console.log(Deno.execPath())"];
    const { success, stdout } = await new Deno.Command("npx", { args, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Type-checks the kernel and the memory store with that Deno. */
export async function checkKernel(deno: string): Promise<Outcome> {
  const entries = ["mod.ts", "logic/context/mod.ts", "stores/memory.ts"];
  return await command(deno, ["check", "--no-config", "--no-lock", ...entries]);
}

/** Loads every entry point with that Deno: what it cannot run there must not keep a program from its start. */
export async function loadEntryPoints(deno: string): Promise<Outcome> {
  const { exports } = await projectConfig(ROOT);
  const urls = Object.values(exports).map((target) => new URL(target, ROOT).href);
  const program = urls.map((url) => `await import(${JSON.stringify(url)});`).join("\n");
  return await command(deno, ["eval", "--no-config", "--no-lock", program]);
}

/** The tests of the kernel and of the memory store, as paths from the root. */
export async function kernelTests(): Promise<readonly string[]> {
  const tests: string[] = [];
  for await (const { path } of walk(decodeURI(new URL("tests", ROOT).pathname))) {
    tests.push(pathFromRoot(ROOT, path) ?? "");
  }
  return tests.sort().filter((path) =>
    /^tests\/(?:(?:types|logic|session)\/.*|stores\/memory)_test\.ts$/.test(path)
  );
}

/** Runs tests with that Deno. */
export async function runTests(deno: string, files: readonly string[]): Promise<Outcome> {
  const map = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await writeImportMap(map);
    const flags = ["--no-check", "--no-config", "--no-lock", `--import-map=${map}`];
    return await command(deno, ["test", "-A", ...flags, ...files]);
  } finally {
    await Deno.remove(map);
  }
}

/** Runs the oldest Deno; it is told to trust what the machine trusts, which later ones do by themselves. */
async function command(deno: string, args: readonly string[]): Promise<Outcome> {
  const { success, stdout, stderr } = await new Deno.Command(deno, {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", DENO_TLS_CA_STORE: "mozilla,system" },
  }).output();
  const decoder = new TextDecoder();
  return { success, output: `${decoder.decode(stdout)}\n${decoder.decode(stderr)}` };
}

/** All that `deno.json` maps, as an import map: the oldest Deno does not know every setting of ours. */
async function writeImportMap(path: string): Promise<void> {
  const [, mapFile = "deno.json"] = await standardLibraryFlags();
  const base = new URL(mapFile, ROOT);
  const { imports } = parse(await Deno.readTextFile(base)) as { imports: Record<string, string> };
  const { exports } = await projectConfig(ROOT);
  const own = Object.entries(exports).map(([key, target]) => [
    `@polyloop/polyloop${key.slice(1)}`,
    new URL(target, ROOT).href,
  ]);
  const others = Object.entries(imports).map(([key, target]) => [
    key,
    target.startsWith(".") ? new URL(target, base).href : target,
  ]);
  await Deno.writeTextFile(
    path,
    JSON.stringify({ imports: Object.fromEntries([...own, ...others]) }),
  );
}
