import { jsonSide, mcpHttpServer } from "../adapters/_mcp/mcp_http_server.ts";
import { modernAnswer } from "../adapters/_mcp/mcp_sides.ts";
import { CLOSINGS, CUTS } from "../adapters/_wire/one_request_rounds.ts";
import { borderFault } from "./border_crossing.ts";
import { runCommand } from "./commands.ts";
import { findOtherRuntimes, type OtherRuntime } from "./other_runtimes.ts";
import { type PackedProject, packedProject } from "./packed_project.ts";

/** The compiler that the packed types are checked by. */
const COMPILER = "typescript@5";
const TSC = ["--yes", "--package", COMPILER, "tsc"];

/** How a user's compiler may look for modules. */
const RESOLUTIONS: readonly (readonly string[])[] = [
  ["--module", "nodenext"],
  ["--module", "node16", "--target", "esnext"],
  ["--module", "esnext", "--target", "esnext", "--moduleResolution", "bundler"],
];

/** The bundler that the package is put into one file by. */
const BUNDLER = "esbuild@0.25";
const BUNDLE = "bundle.mjs";

/** Takes the package, as npm would have it, to each other runtime that can be had; says what holds there. */
export async function checkPacked(say: (line: string) => void): Promise<boolean> {
  const runtimes = await findOtherRuntimes(say);
  if (runtimes.length === 0) return true;
  await using project = await packedProject();
  if (project.fault !== undefined) {
    say(`the package cannot be packed and installed: ${project.fault}`);
    return false;
  }
  if (!project.hasPglite) say("the PostgreSQL store is left out: npm does not bring pglite");
  if (!project.hasTracing) say("spans are left out: npm does not bring OpenTelemetry and readers");
  const all: boolean[] = [];
  const check = (subject: string, what: string, fault: string | undefined) => {
    say(fault === undefined ? `${subject}: ${what}` : `${subject}: FAILED ${what}: ${fault}`);
    all.push(fault === undefined);
  };
  const hasBundle = await makeBundle(project, check, say);
  for (const runtime of runtimes) {
    if (hasBundle) check(runtime.name, "a whole run, bundled", await bundleFault(project, runtime));
    for (const { what, fault } of await programResults(project, runtime)) {
      check(runtime.name, what, fault);
    }
    check(runtime.name, "one request a call", await requestFault(project, runtime));
  }
  const travelled = runtimes.filter(({ hasSqlite }) => hasSqlite);
  const way = ["Deno", ...travelled.map(({ name }) => name), "Deno"].join(" → ");
  check(way, "one run over one database", await borderFault(project, travelled));
  const version = await runCommand("npx", [...TSC, "--version"], project.folder);
  if (version?.success) check(COMPILER, "the packed types", await typeFault(project));
  else say(`${COMPILER} cannot be had here: npm is out of reach`);
  return all.every((holds) => holds);
}

/** What each program printed last, or all that it printed if it failed. */
async function programResults(project: PackedProject, runtime: OtherRuntime) {
  const { path, flags, hasSqlite } = runtime;
  await using server = mcpHttpServer(jsonSide(modernAnswer));
  const programs = {
    entry_points: project.entryPoints,
    whole_run: [],
    mcp_call: [server.url],
    contracts: hasSqlite ? ["sqlite"] : [],
    ...(project.hasPglite ? { postgres_contract: [] } : {}),
    ...(project.hasTracing ? { otel_spans: [] } : {}),
  };
  return await Promise.all(
    Object.entries(programs).map(async ([name, args]) => {
      const file = `tests/runtimes/programs/${name}.ts`;
      const outcome = await runCommand(path, [...flags, file, ...args], project.folder);
      if (!outcome?.success) return { what: name, fault: outcome?.output ?? "it is gone" };
      return { what: outcome.stdout.trimEnd().split("\n").at(-1) ?? name, fault: undefined };
    }),
  );
}

async function requestFault(project: PackedProject, { path, flags }: OtherRuntime) {
  const program = "tests/adapters/_wire/one_request_program.ts";
  const outcome = await runCommand(path, [...flags, program], project.folder);
  const half = { ok: 100, "connection true": 100, requests: 200 };
  const cut = { "connection true": 4, requests: 4 };
  const expected = JSON.stringify(Object.fromEntries([
    ...Object.keys(CLOSINGS).map((how) => [how, half]),
    ...Object.keys(CUTS).map((how) => [how, cut]),
  ]));
  return outcome?.stdout.trim() === expected ? undefined : outcome?.output ?? "it is gone";
}

/** Puts a program and what it needs of the package into one small file; whether it is there. */
async function makeBundle(
  { folder }: PackedProject,
  check: (subject: string, what: string, fault: string | undefined) => void,
  say: (line: string) => void,
): Promise<boolean> {
  const version = await runCommand("npx", ["--yes", BUNDLER, "--version"], folder);
  if (!version?.success) {
    say(`${BUNDLER} cannot be had here: npm is out of reach`);
    return false;
  }
  const flags = ["--bundle", "--minify", "--platform=node", "--format=esm", `--outfile=${BUNDLE}`];
  const args = ["--yes", BUNDLER, "tests/runtimes/programs/whole_run.ts", ...flags];
  const outcome = await runCommand("npx", args, folder);
  const isMade = outcome?.success === true;
  check(BUNDLER, "a bundle", isMade ? undefined : outcome?.output ?? "there is no npx");
  return isMade;
}

async function bundleFault({ folder }: PackedProject, { path }: OtherRuntime) {
  const outcome = await runCommand(path, [BUNDLE], folder);
  return outcome?.success ? undefined : outcome?.output ?? "it is gone";
}

/** Checks every entry point and what a user may write, without skipping a library's own types. */
async function typeFault(project: PackedProject): Promise<string | undefined> {
  const entries = project.entryPoints.map((key, index) =>
    `export * as entry${index} from "@polyloop/polyloop${key.slice(1)}";\n`
  );
  await Deno.writeTextFile(`${project.folder}/entries.ts`, entries.join(""));
  const files = ["entries.ts", "tests/runtimes/programs/consumer.ts"];
  const flags = ["--strict", "--exactOptionalPropertyTypes", "--noEmit"];
  for (const resolution of RESOLUTIONS) {
    const args = [...TSC, ...flags, ...resolution, ...files];
    const outcome = await runCommand("npx", args, project.folder);
    if (!outcome?.success) {
      return `${resolution.join(" ")}: ${outcome?.output ?? "there is no npx"}`;
    }
  }
}
