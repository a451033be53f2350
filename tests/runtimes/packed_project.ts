import { copy, ensureDir } from "@std/fs";
import { projectConfig } from "../tasks/project_config.ts";
import { type Outcome, runCommand } from "./commands.ts";

const ROOT = new URL("../../", import.meta.url);

/** What the programs are made of, as paths from the root: they import the package by its name. */
const PROGRAMS = [
  "tests/runtimes/programs",
  "tests/adapters/contracts",
  "tests/adapters/_wire/one_request_program.ts",
  "tests/adapters/_wire/one_request_rounds.ts",
  "tests/stores/drivers/lease_clock.ts",
  "tests/stores/postgres/faulty_client.ts",
  "tests/stores/postgres/store_cases.ts",
];

/** A PostgreSQL that is a library: the package itself brings no client. */
const PGLITE = "@electric-sql/pglite@0.5";

/** A tracing SDK, and two programs that read the spans of others who follow the same conventions. */
const TRACING = [
  "@opentelemetry/api@1",
  "@opentelemetry/sdk-trace-base@2",
  "@arizeai/openinference-genai@0.3",
  "@evilmartians/agent-prism-data@0.0.9",
];

/** A user's project: the package is installed in it from its tarball, and the programs lie in it. */
export interface PackedProject extends AsyncDisposable {
  /** Its folder. */
  readonly folder: string;
  /** The keys of the package's entry points. */
  readonly entryPoints: readonly string[];
  /** Whether pglite could be had beside the package. */
  readonly hasPglite: boolean;
  /** Whether a tracing SDK and readers of spans could be had beside it. */
  readonly hasTracing: boolean;
  /** What went wrong while it was made. Absent: nothing. */
  readonly fault?: string;
}

/** Packs this checkout and installs it where nothing else is. */
export async function packedProject(): Promise<PackedProject> {
  const folder = await Deno.makeTempDir({ prefix: "polyloop_packed_" });
  const tarball = `${folder}/polyloop.tgz`;
  const pack = ["pack", "--allow-dirty", "--no-source-maps", "--output", tarball];
  const install = ["install", "--no-audit", "--no-fund", "--offline", tarball];
  await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module", "private": true }\n');
  const { exports } = await projectConfig(ROOT);
  const fault = faultOf(await runCommand(Deno.execPath(), pack, ROOT)) ??
    faultOf(await runCommand("npm", install, folder)) ??
    await dependencyFault(folder);
  for (const path of PROGRAMS) {
    await ensureDir(`${folder}/${path.replace(/\/[^/]+$/, "")}`);
    await copy(decodeURI(new URL(path, ROOT).pathname), `${folder}/${path}`);
  }
  const isBrought = async (...packages: readonly string[]) => {
    const words = ["install", "--no-audit", "--no-fund", ...packages];
    return (await runCommand("npm", words, folder))?.success ?? false;
  };
  const made = {
    folder,
    hasPglite: await isBrought(PGLITE),
    hasTracing: await isBrought(...TRACING),
    entryPoints: Object.keys(exports),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
  return fault === undefined ? made : { ...made, fault };
}

function faultOf(outcome: Outcome | undefined): string | undefined {
  return outcome?.success ? undefined : outcome?.output ?? "there is no npm";
}

/** The package must bring nobody else's code with it. */
async function dependencyFault(folder: string): Promise<string | undefined> {
  const installed: string[] = [];
  for await (const { name } of Deno.readDir(`${folder}/node_modules`)) installed.push(name);
  const others = installed.filter((name) => name !== "@polyloop" && !name.startsWith("."));
  return others.length === 0 ? undefined : `the package depends on ${others.join(", ")}`;
}
