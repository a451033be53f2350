import { assertEquals } from "@std/assert";
import type { RunStore } from "../../../ports/mod.ts";
import type { RunCatalog } from "../../../types/mod.ts";

/** The databases that processes drive runs in. */
export type DatabaseKind = "sqlite" | "kv" | "postgres";

/** Starts a process that drives a run; what it writes out is `<seq> <hash>` for each entry acknowledged. */
export function startDriver(
  kind: DatabaseKind,
  mode: "drive" | "race" | "both",
  path: string,
  runId: string,
  length: number,
): Deno.ChildProcess {
  const config = import.meta.resolve("../../../deno.json").slice("file://".length);
  const script = import.meta.resolve("./database_child.ts");
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-lock", "--no-check", "--config", config, "-A", "--unstable-kv", script],
      ...[kind, mode, path, runId, String(length)],
    ],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** What the process acknowledged; fails with what it said if it did not end well. */
export async function acknowledged(child: Deno.ChildProcess): Promise<string[]> {
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(`a driver failed: ${new TextDecoder().decode(stderr)}`);
  return acknowledgements(new TextDecoder().decode(stdout));
}

/** Kills the process at its n-th acknowledgement and gives all that it had made. */
export async function killAfter(child: Deno.ChildProcess, n: number): Promise<string[]> {
  let text = "";
  let killed = false;
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (!killed && acknowledgements(text).length >= n) {
      killed = true;
      child.kill("SIGKILL");
    }
  }
  await child.stderr.cancel();
  await child.status;
  if (!killed) throw new Error(`the driver ended before its acknowledgement ${n}`);
  return acknowledgements(text);
}

function acknowledgements(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** The lines of a log as a driver acknowledges them. */
export function asAcknowledged(lines: readonly string[]): string[] {
  return lines.map((line, seq) => `${seq} ${line.slice(-73, -2)}`);
}

/** The store holds what each process made in its own run, and each entry of the run that all went on with is of one. */
export async function assertMade(
  store: RunStore & RunCatalog,
  made: readonly (readonly string[])[],
  length: number,
): Promise<void> {
  const own = made.map((_, i) => `own-${i + 1}`);
  assertEquals(await store.listRuns(), [...own, "race"]);
  for (const [i, runId] of own.entries()) {
    assertEquals(made[i]!.slice(0, length), asAcknowledged((await store.readRun(runId))!));
  }
  const raced = made.flatMap((each) => each.slice(length));
  assertEquals(raced.length, length);
  assertEquals(new Set(raced), new Set(asAcknowledged((await store.readRun("race"))!)));
}
