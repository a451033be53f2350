/** The scenarios of the official suite that are not here: other features of the protocol than tools. */
const OUT_OF_SCOPE = /^auth\/|^sep-2640-client-/;

/** A scenario, in a revision of the protocol. */
interface Scenario {
  readonly name: string;
  readonly revision: string;
}

/** What came of the suite. */
export interface SuiteResult {
  readonly passed: number;
  readonly checks: number;
  /** A line for each scenario that failed. */
  readonly failures: readonly string[];
}

/** Runs each scenario in each revision that it is for, and tells of each. */
export async function runScenarios(
  packages: string,
  tell: (line: string) => void,
): Promise<SuiteResult> {
  const failures: string[] = [];
  let [passed, checks] = [0, 0];
  for (const scenario of await scenariosOf(packages)) {
    const { ok, count, output } = await runScenario(packages, scenario);
    const line = `${scenario.revision} ${scenario.name}: ${count} ${ok ? "pass" : "FAILED"}`;
    tell(line);
    passed += ok ? 1 : 0;
    checks += count;
    if (!ok) failures.push(`${line}\n${output}`);
  }
  return { passed, checks, failures };
}

async function scenariosOf(packages: string): Promise<readonly Scenario[]> {
  const { output } = await suite(packages, ["list", "--client"]);
  const lines = output.matchAll(/^ *- (\S+) \[([^\]]+)\]$/gm);
  return [...lines].flatMap(([, name = "", revisions = ""]) =>
    OUT_OF_SCOPE.test(name)
      ? []
      : revisions.split(",").map((revision) => ({ name, revision: revision.trim() }))
  );
}

async function runScenario(
  packages: string,
  { name, revision }: Scenario,
): Promise<{ readonly ok: boolean; readonly count: number; readonly output: string }> {
  const client = new URL("client.ts", import.meta.url).pathname;
  const command = `${Deno.execPath()} run -A --quiet --no-lock --no-check ${client}`;
  const selected = ["--scenario", name, "--spec-version", revision];
  const { ok, output } = await suite(packages, ["client", "--command", command, ...selected]);
  const [, count = "0", all = "-"] = /Passed: (\d+)\/(\d+), 0 failed, 0 warnings/.exec(output) ??
    [];
  return { ok: ok && Number(count) > 0 && count === all, count: Number(count), output };
}

/** Runs the suite's program, under Deno: it needs more of Node than old versions have. */
async function suite(
  packages: string,
  args: readonly string[],
): Promise<{ readonly ok: boolean; readonly output: string }> {
  const program = `${packages}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-lock", program, ...args],
    cwd: packages,
    env: { NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { ok: success, output: decoder.decode(stdout) + decoder.decode(stderr) };
}
