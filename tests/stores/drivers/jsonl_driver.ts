/**
 * A process that drives one run over a folder, one command a line: it answers each with `ok`, or with the error's
 * code, durability and message. It needs no permission but the folder's.
 *
 * @module
 */
import { jsonlStore } from "../../../stores/jsonl.ts";
import { type LogBuilder, logBuilder, resumedLogBuilder } from "../../contract/_log_builder.ts";

const [dir, runId] = Deno.args as [string, string];
const store = jsonlStore({ dir });
let log: LogBuilder = logBuilder(runId);

async function obey(command: string, argument: string): Promise<string> {
  switch (command) {
    case "read": {
      const lines = await store.readRun(runId);
      log = lines === null ? logBuilder(runId) : resumedLogBuilder(runId, lines);
      return `ok ${lines?.length ?? "null"}`;
    }
    case "start":
      log = logBuilder(runId);
      await store.startRun(runId, log.start());
      return "ok";
    case "intent":
    case "outcome": {
      const entry = log.next(JSON.stringify("x".repeat(Number(argument || 1))));
      await (command === "intent" ? store.writeIntent : store.writeOutcome)(runId, entry);
      return "ok";
    }
    case "release":
      await store.releaseRun(runId);
      return "ok";
    case "revoke":
      await Deno.permissions.revoke({ name: "read", path: dir });
      return "ok";
    default:
      throw new Error(`no command "${command}"`);
  }
}

function answerOf(error: unknown): string {
  const { code, durability, message } = error as Record<string, unknown>;
  return `${code} ${durability ?? "-"} ${message}`;
}

async function main(): Promise<void> {
  const input = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  let rest = "";
  for await (const chunk of input) {
    const commands = (rest + chunk).split("\n");
    rest = commands.pop()!;
    for (const line of commands) {
      const [command, argument] = line.split(" ") as [string, string?];
      const answer = await obey(command, argument ?? "").catch(answerOf);
      await Deno.stdout.write(new TextEncoder().encode(`${answer}\n`));
    }
  }
}

if (import.meta.main) await main();
