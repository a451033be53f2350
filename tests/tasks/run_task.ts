/**
 * The tasks of `deno.json`: each is a row of Deno commands, all of which run, whatever became of those before. What
 * follows the task's name goes to its last command: `deno task test tests/stores`. This program imports nothing from the
 * standard library: only it finds out where that is.
 *
 * @module
 */
import { standardLibraryFlags } from "../closed_network/standard_library.ts";
import { gatherExamples } from "./gathered_examples.ts";
import { gatherTests } from "./gathered_tests.ts";
import { say } from "./say.ts";

/** The tests of drawn values, or of a sample of all moments or permissions. */
const DRAWN = [
  ...["tests/types", "tests/logic", "tests/session", "tests/conformance"],
  ...["tests/adapters/fuzz", "tests/adapters/_mcp", "tests/adapters/_wire", "tests/adapters/field"],
  ...["tests/cli/fuzz", "tests/cli/processes", "tests/crash/seeded", "tests/stores/jsonl"],
  "tests/examples/examples_test.ts",
];

/** The tests that need a PostgreSQL server. */
const ON_POSTGRES = ["tests/stores/postgres", "tests/examples/worker_pool_test.ts"];

type Commands = readonly (readonly string[])[];

/** The commands of each task, for the flags that find the standard library. */
const TASKS: Readonly<Record<string, (std: readonly string[]) => Commands>> = {
  test: (std) => [["test", "--quiet", "-A", "--doc", "--parallel", ...std]],
  check: (std) => [
    ["fmt", "--check"],
    ["lint"],
    ["check", "--quiet", "--doc", ...std, "."],
    ["run", "-A", ...std, "tests/tasks/check_elsewhere.ts"],
    ["run", "-A", ...std, "tests/tasks/doc_lint.ts"],
    ["publish", "--quiet", "--dry-run", "--allow-dirty"],
  ],
  crash: (std) => [["run", "-A", ...std, "tests/crash/main.ts"]],
  attack: (std) => [
    ["run", "-A", ...std, "tests/cli/large/main.ts"],
    ["run", "-A", ...std, "tests/adapters/attacks/main.ts"],
  ],
  postgres: (std) => [
    ["run", "-A", ...std, "tests/stores/postgres/measure.ts"],
    ["test", "-A", ...std, ...ON_POSTGRES, "--", "--server"],
  ],
  runtimes: (std) => [["run", "-A", ...std, "tests/runtimes/main.ts"]],
  peers: (std) => [["run", "-A", ...std, "tests/adapters/peers/main.ts"]],
  fuzz: (std) => [["test", "--quiet", "-A", "--parallel", ...std, ...DRAWN, "--", "--whole"]],
  "conformance-mcp": (std) => [
    ["run", "-A", ...std, "tests/adapters/_mcp/conformance/main.ts"],
  ],
  bench: (std) => [["run", "-A", ...std, "tests/bench/main.ts"]],
  coverage: (std) => [
    ["test", "-A", "--doc", "--clean", "--coverage", "--coverage-raw-data-only", ...std],
    ["coverage", "--exclude=/tests/|/polyloop_seeded_"],
    ["run", "-A", "tests/tasks/logic_coverage.ts"],
  ],
  "api-baseline": (std) => [["run", "-A", ...std, "tests/architecture/api/api_baseline.ts"]],
};

const ROOT = new URL("../../", import.meta.url);

/** Runs every test and every example of the docs, gathered into a few modules. Task `check` checks their types. */
async function runEveryTest(): Promise<boolean> {
  const gathered = await Deno.makeTempDir({ prefix: "polyloop_tests_" });
  try {
    await gatherTests(ROOT, gathered);
    await gatherExamples(ROOT, gathered);
    return await runTask("test", ["--no-check", gathered]);
  } finally {
    await Deno.remove(gathered, { recursive: true });
  }
}

/** Runs a task in the project's folder; answers whether all of its commands succeeded. */
async function runTask(name: string, args: readonly string[]): Promise<boolean> {
  const commands = TASKS[name]!(await standardLibraryFlags());
  let succeeded = true;
  for (const [index, command] of commands.entries()) {
    const words = index === commands.length - 1 ? [...command, ...args] : command;
    const { success } = await new Deno.Command(Deno.execPath(), { args: [...words], cwd: ROOT })
      .spawn().status;
    const [verb] = command;
    say(`${success ? "ok" : "FAILED"}: deno ${verb === "run" ? `run ${command.at(-1)}` : verb}`);
    succeeded &&= success;
  }
  return succeeded;
}

if (import.meta.main) {
  const [name = "", ...args] = Deno.args;
  if (!Object.hasOwn(TASKS, name)) {
    say(`Cannot run task "${name}": there are ${Object.keys(TASKS).join(", ")}`);
    Deno.exit(2);
  }
  const everyTest = name === "test" && args.length === 0;
  Deno.exit(await (everyTest ? runEveryTest() : runTask(name, args)) ? 0 : 1);
}
