import { assert, assertEquals } from "@std/assert";
import { UsageError } from "../../../cli/_command.ts";
import type { RunStore } from "../../../ports/mod.ts";
import { readLog, verifyLog } from "../../../session/mod.ts";
import { PolyLoopError, type RunCatalog } from "../../../types/mod.ts";
import { folderFacts } from "../../stores/sqlite/foreign_files.ts";
import { throwingCommandLine } from "../command_line.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { READING } from "../made_runs.ts";
import { type Draw, oneOf } from "./damage.ts";

/**
 * Reads what is in a folder by some of the reading commands, under `deno task fuzz` by all: each gives lines or an error that is meant, one line that commands
 * no terminal, and no byte, mode or time of the folder is another afterwards.
 */
export async function readByCommands(folder: string, store: string, draw: Draw): Promise<void> {
  const before = folderFacts(folder);
  const all = READING(oneOf(draw, ["done", "open"]));
  const first = draw(all.length);
  const drawn = IS_WHOLE ? all : all.filter((_, i) => (i - first) % 3 === 0);
  for (const command of drawn) {
    const said = await throwingCommandLine(...command, "--store", store).catch((error: unknown) => {
      const isMeant = error instanceof PolyLoopError || error instanceof UsageError ||
        (error instanceof Error && /^Cannot /.test(error.message));
      assert(isMeant, `${command}: ${error instanceof Error ? error.stack : error}`);
      return { code: 1, out: "", err: "" };
    });
    assert(said.code === 0 || said.code === 1, String(said.code));
    for (const line of said.err.split("\n")) {
      assert(!/RangeError|TypeError|is not a function|undefined/.test(line), `${command}: ${line}`);
    }
    if (command.includes("csv")) continue;
    assertEquals(/(?![\n\t])[\p{Cc}\u2028\u202e]/u.exec(said.out + said.err)?.[0], undefined);
  }
  assertEquals(folderFacts(folder), before);
}

/** Reads a store by each of its methods: each gives data or a typed error, and data is a log or is found to be none. */
export async function readByStore(
  store: RunStore & RunCatalog,
  runIds: readonly string[],
): Promise<void> {
  const typed = (error: unknown) => {
    assert(error instanceof PolyLoopError, error instanceof Error ? error.stack : String(error));
    return null;
  };
  for (const unfinished of [false, true]) await store.listRuns({ unfinished }).catch(typed);
  await Array.fromAsync(store.readRuns(), ({ lines }) => Array.fromAsync(lines).catch(typed))
    .catch(typed);
  for (const runId of runIds) {
    const lines = await store.readRun(runId).catch(typed);
    const parts = await Array.fromAsync(store.readLines(runId)).catch(typed);
    if (lines === null || parts === null) continue;
    assertEquals(parts.flat(), lines);
    const { ok } = verifyLog(lines);
    try {
      readLog(lines);
    } catch (error) {
      typed(error);
      assert(!ok);
    }
  }
}
