import { assert } from "@std/assert";
import { parse } from "@std/jsonc";
import { standardLibraryFlags } from "../../closed_network/standard_library.ts";
import { say } from "../../tasks/say.ts";
import { readTree } from "../tree.ts";

/** The oldest Deno that the kernel and the memory store run on, as `npx` fetches it. */
const OLDEST = "deno@2.5.0";

const TREE = await readTree(new URL("../../../", import.meta.url));

/** Runs the oldest Deno; it is told to trust what the machine trusts, which later ones do by themselves. */
async function oldestDeno(args: readonly string[]): Promise<{ success: boolean; output: string }> {
  const { success, stdout, stderr } = await new Deno.Command("npx", {
    args: ["--yes", OLDEST, ...args],
    cwd: TREE.root,
    env: { NO_COLOR: "1", DENO_TLS_CA_STORE: "mozilla,system" },
  }).output();
  const decoder = new TextDecoder();
  return { success, output: `${decoder.decode(stdout)}\n${decoder.decode(stderr)}` };
}

/** Whether the oldest Deno can be had: not where there is no `npx`, or npm is out of reach. */
async function canBeHad(): Promise<boolean> {
  try {
    return (await oldestDeno(["--version"])).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** All that `deno.json` maps, as an import map: the oldest Deno does not know every setting of ours. */
async function writeImportMap(path: string): Promise<void> {
  const [, mapFile = "deno.json"] = await standardLibraryFlags();
  const base = new URL(mapFile, TREE.root);
  const { imports } = parse(await Deno.readTextFile(base)) as { imports: Record<string, string> };
  const own = Object.entries(TREE.exports).map(([key, target]) => [
    `@polyloop/polyloop${key.slice(1)}`,
    new URL(target, TREE.root).href,
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

const available = await canBeHad();
if (!available) say(`${OLDEST} cannot be had here: npx or npm is out of reach`);

Deno.test({
  name: `the kernel and the memory store pass their tests on ${OLDEST}`,
  ignore: !available,
  async fn() {
    const map = await Deno.makeTempFile({ suffix: ".json" });
    try {
      await writeImportMap(map);
      const files = TREE.paths.filter((path) =>
        /^tests\/(?:types|ports|logic|session)\/.*_test\.ts$|^tests\/stores\/memory_test\.ts$/.test(
          path,
        )
      );
      const flags = ["--no-config", "--no-lock", `--import-map=${map}`];
      const { success, output } = await oldestDeno([
        "test",
        "-A",
        "--no-check",
        ...flags,
        ...files,
      ]);
      assert(success, output);
    } finally {
      await Deno.remove(map);
    }
  },
});

Deno.test({
  name: `the kernel and the memory store type-check on ${OLDEST}`,
  ignore: !available,
  async fn() {
    const { success, output } = await oldestDeno([
      ...[
        "check",
        "--no-config",
        "--no-lock",
        "mod.ts",
        "logic/context/mod.ts",
        "stores/memory.ts",
      ],
    ]);
    assert(success, output);
  },
});
