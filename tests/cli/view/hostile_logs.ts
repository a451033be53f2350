import { frameRecords } from "../../../logic/serialization/log_codec.ts";
import { decodeLog } from "../../../logic/serialization/mod.ts";
import { resume, run } from "../../../mod.ts";
import { mapJson, mapRecord, type TextMap } from "../../../session/_redaction/map_texts.ts";
import { memoryStore } from "../../../stores/memory.ts";
import {
  checkShape,
  copyJson,
  digest,
  isJsonObject,
  type LogRecord,
  logRecordShape,
} from "../../../types/mod.ts";
import { runOf } from "../../session/batches/batch_world.ts";
import { agentOf, makeRun, requestOf, SUMMING } from "../made_runs.ts";

/** What closes whatever a page has open, and then runs, loads and hides. */
const ATTACK =
  `--></title></style></pre></summary></details>"'><script>document.title="owned"</script><img src="http://127.0.0.1:1/x" onerror="document.title=1"><a href="javascript:alert(1)">\u202e\u2066\u200b\u{e0041}\0]]>`;

/** Logs with everything in them that a log can have, by run. */
async function logs(): Promise<ReadonlyMap<string, readonly string[]>> {
  const store = memoryStore();
  await makeRun(store, "plain", [
    { text: "do look", reasoning: "so", servedModel: "m", servedBy: 1 },
    "hm",
    new TypeError("dead"),
    "do fail",
    "answer yes",
  ]);
  await makeRun(store, "long", [..."abcdefghi"].map((name) => `do ${name.repeat(30)}`), SUMMING);
  const suspending = { onModelFailure: "suspend" } as const;
  const failing = ["do look", new TypeError("down")];
  await run(agentOf(store, failing), requestOf("open"), suspending).catch(() => {});
  await run(agentOf(store, failing), requestOf("gone"), suspending).catch(() => {});
  await resume(agentOf(store, ["", "answer yes"]), requestOf("gone"));
  await runOf("do a; do b", {}, {}, store);
  const read = new Map<string, readonly string[]>();
  for (const runId of await store.listRuns()) read.set(runId, await store.readRun(runId) ?? []);
  return read;
}

const attackedText = (text: string) => text === "" ? "" : ATTACK + text;

const MAP: TextMap = {
  text: attackedText,
  listed: (text) => attackedText(text).replaceAll(/,(?=.*]]>)/gs, ""),
  raw: attackedText,
  value: (value) => mapJson(value, { text: attackedText, number: (number) => number }),
  digest: (hash) => hash,
};

/**
 * Writes those logs to a folder, with an attack before every text in them that is not the log's own: marked as redacted,
 * as digests differ. Gives the ids of the runs.
 */
export async function writeHostileLogs(dir: string): Promise<readonly string[]> {
  await Deno.mkdir(dir);
  const read = await logs();
  for (const [runId, lines] of read) {
    const text = attacked(runId, lines).map((line) => `${line}\n`).join("");
    await Deno.writeTextFile(`${dir}/${runId}.jsonl`, text);
  }
  return [...read.keys()];
}

function attacked(runId: string, lines: readonly string[]): readonly string[] {
  let prev = digest(runId);
  return decodeLog(runId, lines).map(({ seq, records }) => {
    const entry = frameRecords(seq, prev, records.map(attackedRecord));
    prev = entry.hash;
    return entry.line;
  });
}

function attackedRecord(record: LogRecord): LogRecord {
  const json = copyJson(record);
  const checked = checkShape(isJsonObject(json) ? mapRecord(json, MAP) : json, logRecordShape);
  if (!checked.ok) throw new Error(checked.fault.path);
  if (checked.value.type !== "run_started") return checked.value;
  const rules = { patterns: 1, pointers: 0, keyed: false, digests: "keep" } as const;
  return { ...checked.value, redactedFrom: { logHead: digest("x"), rules } };
}
