import { redactLog } from "../../session/mod.ts";
import { harmlessLine, writeText } from "../../types/mod.ts";
import { type Command, UsageError } from "../_command.ts";
import { openToWrite } from "../_open_to_write.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { linesOf, readStore } from "../_store/read_store.ts";
import { redactionOf } from "../_store/redaction_options.ts";

/** `redact`: a copy of a run's log with texts hidden, to be shown to others. */
export const REDACT: Command<"run"> = {
  name: "redact",
  summary: "Write a copy of a run's log with texts hidden, to be shown to others",
  operands: ["run"],
  options: {
    pattern: {
      value: "REGEX",
      repeats: true,
      help: "hide what it finds in any text; may be there several times",
    },
    pointer: {
      value: "PTR",
      repeats: true,
      help: `hide what is there in the arguments of tool calls, such as /password; may be there
several times`,
    },
    out: { value: "FILE", help: "the file to write, DIR/RUN.jsonl; - for standard output" },
    store: STORE_OPTION,
  },
  details: `What is hidden is hidden wherever the log has it: [redacted: N code points, sha256:...]
stands for it, the same for the same text of one copy. The digests in the markers are made
with a key that is thrown away, and those of prompts are dropped, so that none gives a
short text away. A text's length, and where it is repeated, can be seen.
The copy is for reading: all commands but resume, fork and continue take it by
--store jsonl:DIR. The folder is made where it is missing; no file is overwritten.`,
  async run(words, screen) {
    const runId = words.operand("run");
    const rules = redactionOf(words.lists.get("pattern"), words.lists.get("pointer"));
    if (rules === undefined) {
      throw new UsageError("Cannot redact without a rule: --pattern REGEX or --pointer PTR");
    }
    const path = pathOf(words.values.get("out"), runId);
    const lines = await readStore(
      words,
      async (open) => redactLog((await Array.fromAsync(linesOf(open, runId))).flat(), rules),
    );
    writeLog(path, lines, screen);
    return 0;
  },
};

/** Where the copy goes: the store of a folder finds a run by its file's name. */
function pathOf(path: string | undefined, runId: string): string {
  if (path === undefined) throw new UsageError("Cannot redact without --out FILE, or --out -");
  const name = `${runId}.jsonl`;
  if (path === "-" || path === name || path.endsWith(`/${name}`)) return path;
  throw new UsageError(`Cannot write "${path}": the file of run "${runId}" is called ${name}`);
}

function writeLog(path: string, lines: readonly string[], screen: Screen): void {
  const text = lines.map((line) => `${line}\n`).join("");
  if (path === "-") return writeText(screen.output, text);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const file = openToWrite(path, () => {
    if (folder !== "") Deno.mkdirSync(folder, { recursive: true });
    return Deno.openSync(path, { write: true, createNew: true });
  });
  try {
    writeText(file, text);
  } finally {
    file.close();
  }
  screen.complain(`wrote ${harmlessLine(path)}`);
}
