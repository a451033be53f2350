import { jsonlStore } from "../../../stores/jsonl.ts";
import { inTempFolder, textOf } from "../../stores/drivers/temp_folder.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { drawing } from "../../types/json_values.ts";
import { leaveOpen, makeRun } from "../made_runs.ts";
import { damagedBytes, damagedLog, type Draw, oneOf } from "./damage.ts";
import { readByCommands, readByStore } from "./read_all.ts";

const RUNS = ["done", "open"];

async function soundTexts(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir });
    await makeRun(store, "done");
    await leaveOpen(store, "open");
    for (const runId of RUNS) texts.set(runId, Deno.readTextFileSync(`${dir}/${runId}.jsonl`));
  });
  return texts;
}

/** Puts the runs into a folder, damaged, and at times what does not belong there. */
function putDamaged(dir: string, texts: ReadonlyMap<string, string>, draw: Draw): void {
  for (const [runId, text] of texts) {
    const path = `${dir}/${runId}.jsonl`;
    const lines = text.trimEnd().split("\n");
    oneOf<() => void>(draw, [
      () => Deno.writeFileSync(path, damagedBytes(new TextEncoder().encode(text), draw)),
      () => Deno.writeTextFileSync(path, textOf(damagedLog(runId, lines, draw))),
      () => Deno.writeTextFileSync(path, text),
    ])();
  }
  oneOf<() => void>(draw, [
    () => {},
    () => Deno.mkdirSync(`${dir}/folder.jsonl`),
    () => Deno.symlinkSync("/dev/zero", `${dir}/endless.jsonl`),
    () => Deno.symlinkSync("done.jsonl", `${dir}/link.jsonl`),
    () => Deno.writeTextFileSync(`${dir}/empty.jsonl`, ""),
    () => Deno.writeTextFileSync(`${dir}/done.jsonl.torn-5`, "x"),
    () => Deno.writeTextFileSync(`${dir}/\x1b[2J.jsonl`, "x"),
    () => Deno.chmodSync(`${dir}/done.jsonl`, 0o000),
  ])();
}

const rounds = fuzzRounds(5_000);
Deno.test(`the readers give data or a typed error of each of ${rounds} damaged folders, and change none`, async () => {
  const texts = await soundTexts();
  const draw = drawing(20_260_108);
  for (let round = 0; round < rounds; round++) {
    await inTempFolder(async (dir) => {
      putDamaged(dir, texts, draw);
      try {
        await readByStore(jsonlStore({ dir }), [...RUNS, "folder", "endless", "link"]);
        await readByCommands(dir, `jsonl:${dir}`, draw);
      } catch (cause) {
        throw new Error(`round ${round}`, { cause });
      }
    });
  }
});
