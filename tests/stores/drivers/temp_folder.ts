import { type LogBuilder, logBuilder } from "../../contract/_log_builder.ts";

/** Runs a test in a folder of its own. */
export async function inTempFolder(body: (dir: string) => void | Promise<void>): Promise<void> {
  const dir = Deno.makeTempDirSync();
  try {
    await body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

/** A log of some entries that no store has yet. */
export function unwrittenLog(runId: string, length: number): LogBuilder {
  const log = logBuilder(runId);
  log.start();
  while (log.lines.length < length) log.next();
  return log;
}

/** The lines as a file has them. */
export function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** The names in a folder, sorted. */
export function namesIn(dir: string): readonly string[] {
  return [...Deno.readDirSync(dir)].map((entry) => entry.name).sort();
}
