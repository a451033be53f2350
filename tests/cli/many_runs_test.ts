import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { tableLine, widen } from "../../cli/_terminal_text.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { kvStore } from "../../stores/kv.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { inTempFolder } from "../stores/drivers/temp_folder.ts";
import { HOSTILE, leaveOpen, makeRun } from "./made_runs.ts";
import { commandLine } from "./command_line.ts";

/** Makes runs in a store whose starts are a second apart. */
async function makeRuns(
  store: Parameters<typeof makeRun>[0],
  runIds: readonly string[],
): Promise<void> {
  for (const [i, runId] of runIds.entries()) {
    await makeRun(store, runId, undefined, {}, { now: () => Date.UTC(2026, 0, 1) + i * 1_000 });
  }
}

/** The ids and states that `list` shows. */
function listed(out: string): readonly string[] {
  return out.trimEnd().split("\n").slice(1).map((line) =>
    line.replace(/^(\S+) .* {2}(\S+|unreadable: .*|not finished: .*)$/, "$1 $2")
  );
}

Deno.test("list shows the newest runs first, as many as it is told", async () => {
  await inTempFolder(async (dir) => {
    await makeRuns(jsonlStore({ dir }), ["b", "c", "a", "d"]);
    const store = ["--store", `jsonl:${dir}`];
    const { out, code } = await commandLine("list", ...store);
    assertEquals(code, 0);
    assertEquals(listed(out).map((line) => line[0]), ["d", "a", "c", "b"]);
    const few = await commandLine("list", "--limit", "2", ...store);
    assertEquals(listed(few.out).map((line) => line[0]), ["d", "a"]);
    for (const limit of ["0", "-1", "all", "1.5", "1e3"]) {
      assertMatch((await commandLine("list", `--limit=${limit}`, ...store)).err, /Cannot list/);
    }
  });
});

Deno.test("list says of a run the same whether it has finished or not, and whatever its length", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir });
    await makeRun(store, "silent", ["answer yes"]);
    await makeRun(store, "told", [{
      text: "answer yes",
      usage: { inputTokens: 3, outputTokens: 4 },
    }]);
    await leaveOpen(store, "open");
    const { out } = await commandLine("list", "--store", `jsonl:${dir}`);
    assertMatch(out, /^silent .* 1 +1 +- +final_answer$/m);
    assertMatch(out, /^told .* 1 +1 +7 +final_answer$/m);
    assertMatch(out, /^open .* 1 +2 +- +not finished: 1 step recorded; step 1 is open$/m);
  });
});

Deno.test("a run of a folder that is bad in any way is a line of list and an error of export, and the others go on", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir });
    await makeRuns(store, ["a", "b", "z"]);
    const whole = Deno.readTextFileSync(`${dir}/b.jsonl`);
    const lines = whole.split("\n");
    const bad: Readonly<Record<string, string | Uint8Array>> = {
      "bad-cut": lines.toSpliced(3, 1).join("\n"),
      "bad-hash": whole.replace("look", "hook"),
      "bad-id": whole,
      "bad-json": "{}\n",
      "bad-junk": "x\n",
      "bad-long": new Uint8Array(3_000_000).fill(0x78),
      "bad-nul": new Uint8Array(3_000).fill(0).with(2_999, 0x0a),
      "bad-utf8": Uint8Array.of(0xff, 0x0a),
    };
    const torn = ["bad-long"];
    for (const [runId, text] of Object.entries(bad)) {
      if (typeof text === "string") Deno.writeTextFileSync(`${dir}/${runId}.jsonl`, text);
      else Deno.writeFileSync(`${dir}/${runId}.jsonl`, text);
    }
    Deno.mkdirSync(`${dir}/folder.jsonl`);
    Deno.symlinkSync("nowhere", `${dir}/link.jsonl`);
    Deno.writeTextFileSync(`${dir}/UPPER.jsonl`, "");
    const { code, out } = await commandLine("list", "--store", `jsonl:${dir}`);
    assertEquals(code, 1);
    const named = Object.keys(bad).filter((runId) => !torn.includes(runId));
    assertEquals(listed(out).map((line) => line.split(" ")[0]), ["z", "b", "a", ...named]);
    for (const runId of named) {
      assertMatch(out, new RegExp(`^${runId} +unreadable: Cannot read .*$`, "m"));
    }
    const rows = await commandLine("export", "--store", `jsonl:${dir}`);
    assertEquals(rows.code, 1);
    const ids = rows.out.trimEnd().split("\n").map((line) => JSON.parse(line).run_id);
    assertEquals([...new Set(ids)], ["a", "b", "z"]);
    assertEquals(rows.err.trimEnd().split("\n").length, named.length);
  });
});

Deno.test("a run of SQLite that is bad in any way is a line of list, and its id cannot command a terminal", async () => {
  await inTempFolder(async (dir) => {
    const path = `${dir}/runs.db`;
    await makeRuns(sqliteStore({ path }), ["a", "b", "bad-line", "bad-ring", "z"]);
    const database = new DatabaseSync(path);
    const add = database.prepare("INSERT INTO runs (run_id) VALUES (?)");
    for (const runId of ["none", HOSTILE, "../up", "", "x\u2028y"]) add.run(runId);
    database.exec(`
      UPDATE entries SET line = 'x' WHERE seq = 3
        AND run = (SELECT id FROM runs WHERE run_id = 'bad-line');
      DELETE FROM entries WHERE seq > 0 AND run = (SELECT id FROM runs WHERE run_id = 'bad-ring');
      UPDATE entries SET id = previous
        WHERE run = (SELECT id FROM runs WHERE run_id = 'bad-ring')`);
    database.close();
    for (const command of ["list", "export"]) {
      const { code, out, err } = await commandLine(command, "--store", `sqlite:${path}`);
      assertEquals(code, 1);
      assert(!/(?!\n)[\p{Cc}\u202e\u2028]/u.test(out + err), out + err);
      if (command === "export") continue;
      const states = listed(out);
      assertEquals(states.slice(0, 3), ["z final_answer", "b final_answer", "a final_answer"]);
      assertEquals(states.filter((line) => line.includes("unreadable")).length, 7);
    }
  });
});

Deno.test("a run of KV that is bad in any way is a line of list", async () => {
  await inTempFolder(async (dir) => {
    const path = `${dir}/runs`;
    const kv = await Deno.openKv(path);
    await makeRuns(kvStore({ kv }), ["a", "b", "bad", "z"]);
    const root = ["polyloop", "v1"];
    await kv.set([...root, "run", "none"], "x");
    await kv.set([...root, "run", 5], "x");
    await kv.set([...root, "run", HOSTILE], { odd: true });
    for await (const { key, value } of kv.list({ prefix: [...root, "entry", "bad"] })) {
      if (key.at(-1) === 1) await kv.set(key, { ...Object(value), bytes: new Uint8Array(9) });
    }
    kv.close();
    const { code, out } = await commandLine("list", "--store", `kv:${path}`);
    assertEquals(code, 1);
    assertEquals(listed(out).slice(0, 3), ["z final_answer", "b final_answer", "a final_answer"]);
    assertEquals(listed(out).filter((line) => line.includes("unreadable")).length, 4);
    assertStringIncludes(out, "none ");
  });
});

Deno.test("a table can have more rows than a call can have arguments", () => {
  const widths: number[] = [];
  for (let row = 0; row < 300_000; row++) widen(widths, ["x".repeat(row % 7), "1"]);
  assertEquals(tableLine(["a", "1"], widths, [1]), "a       1");
});
