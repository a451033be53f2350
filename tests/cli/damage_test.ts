import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { openStoreToDrive } from "../../cli/_store/open_store.ts";
import { digest, frameLogLine } from "../../types/mod.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { kvStore } from "../../stores/kv.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { inTempFolder } from "../stores/drivers/temp_folder.ts";
import { folderFacts, foreignFiles } from "../stores/sqlite/foreign_files.ts";
import { commandLine, type CommandOutput } from "./command_line.ts";
import { leaveOpen, makeRun, READING } from "./made_runs.ts";

async function withFolder(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Verifies a run of a folder after a change of its file. */
async function verifyAfter(
  dir: string,
  change: (text: string) => string | Uint8Array,
  ...args: readonly string[]
): Promise<CommandOutput> {
  const path = `${dir}/r.jsonl`;
  const whole = await Deno.readTextFile(path);
  const changed = change(whole);
  await Deno.writeFile(
    path,
    typeof changed === "string" ? new TextEncoder().encode(changed) : changed,
  );
  try {
    return await commandLine("verify", "r", "--store", `jsonl:${dir}`, ...args);
  } finally {
    await Deno.writeTextFile(path, whole);
  }
}

Deno.test("verify names the entry and the fault of each kind of damage to a log's file, and exits with 1", async () => {
  await withFolder(async (dir) => {
    const head = await makeRun(jsonlStore({ dir }), "r");
    const lines = (text: string) => text.trimEnd().split("\n");
    const cases: [(text: string) => string | Uint8Array, RegExp][] = [
      [(text) => text.replace('"Go on."', '"Go off."'), /at entry 0: .* its hash does not match/],
      [
        (text) => lines(text).toSpliced(2, 1).join("\n") + "\n",
        /at entry 2: .* seq 3 is in its place/,
      ],
      [(text) => lines(text).toSpliced(2, 0, "").join("\n") + "\n", /at entry 2: .* blank/],
      [(text) => text.replaceAll("\n", "\r\n"), /at entry 0: .* CR LF/],
      [(text) => `\ufeff${text}`, /at entry 0: .* byte order mark/],
      [(text) => text.replace('"schema":"1.0"', '"schema":"2.0"'), /at entry 0: .* hash/],
      [() => "{}\n", /at entry 0: .* does not start as a log entry does/],
      [() => Uint8Array.of(0xff, 0xfe, 0x0a), /at entry 0: .* not UTF-8/],
    ];
    for (const [change, expected] of cases) {
      const { code, out, err } = await verifyAfter(dir, change);
      assertEquals([code, err], [1, ""]);
      assertMatch(out, new RegExp(`^FAULT in run r ${expected.source}.*\\n`));
      assertStringIncludes(out, "Nothing was changed: ");
    }
    const whole = await verifyAfter(dir, (text) => text, "--head", head);
    assertEquals([whole.code, whole.err], [0, ""]);
    assertMatch(whole.out, /^ok: run r, \d+ entries, head sha256:[0-9a-f]{64}\nchecked:\n/);
    assertStringIncludes(whole.out, "that the log ends with the head that was given");
    assert(!whole.out.includes("cut off the end"));
  });
});

Deno.test("verify tells a cut end by the head alone, and says that it cannot without", async () => {
  await withFolder(async (dir) => {
    const head = await makeRun(jsonlStore({ dir }), "r");
    const cut = (text: string) => text.trimEnd().split("\n").slice(0, -1).join("\n") + "\n";
    const blind = await verifyAfter(dir, cut);
    assertEquals(blind.code, 0);
    assertStringIncludes(blind.out, "? whether whole entries were cut off the end");
    const told = await verifyAfter(dir, cut, "--head", head);
    assertEquals(told.code, 1);
    assertMatch(told.out, /^FAULT in run r at entry \d+: the log ends with the head sha256:/);
  });
});

Deno.test("verify says of a later version's log that a later version is needed, not that it is damaged", async () => {
  await withFolder(async (dir) => {
    await makeRun(jsonlStore({ dir }), "r");
    const { code, out } = await verifyAfter(dir, (text) => {
      const later = text.split("\n")[0]!.replace('"schema":"1.0"', '"schema":"2.0"');
      const hashed = later.slice(0, later.lastIndexOf(',"hash":'));
      return `${hashed},"hash":"${digest(hashed)}"}\n`;
    });
    assertEquals(code, 1);
    assertMatch(out, /^FAULT in run r at entry 0: .*: use a later version of the library\n$/);
  });
});

Deno.test("verify takes a torn tail for what it is", async () => {
  await withFolder(async (dir) => {
    await makeRun(jsonlStore({ dir }), "r");
    const torn = await verifyAfter(dir, (text) => `${text}{"schema":"1.0","seq":`);
    assertEquals(torn.code, 0);
    assertStringIncludes(torn.out, "note: 22 bytes after the last entry are the torn tail");
    const never = await verifyAfter(dir, (text) => text.slice(0, 100));
    assertEquals([never.code, never.out], [1, ""]);
    assertMatch(
      never.err,
      /^error: Cannot read run "r" as ".*r\.jsonl" holds no whole entry: .*\n$/,
    );
  });
});

Deno.test("a store that cannot be read is named, with the reason, in one line", async () => {
  await withFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/junk`, "no database\n".repeat(100));
    await Deno.writeTextFile(`${dir}/empty`, "");
    await Deno.mkdir(`${dir}/folder.jsonl`);
    const cases: [string[], RegExp][] = [
      [
        ["list", "--store", `sqlite:${dir}/none`],
        /Cannot read the store sqlite:.*none as there is no such file/,
      ],
      [
        ["list", "--store", `jsonl:${dir}/none`],
        /Cannot read the store jsonl:.*none as there is no such folder/,
      ],
      [
        ["list", "--store", `kv:${dir}/none`],
        /Cannot read the store kv:.*none as there is no such file/,
      ],
      [["list", "--store", `kv:${dir}`], /Cannot read the store kv:.* as it is not a file/],
      [
        ["list", "--store", `sqlite:${dir}/junk`],
        /Cannot read the store sqlite:.*junk as .*not a database/,
      ],
      [
        ["list", "--store", `kv:${dir}/junk`],
        /Cannot read the store kv:.*junk as .*not a database/,
      ],
      [
        ["list", "--store", `jsonl:${dir}/junk`],
        /Cannot read the store jsonl:.*junk as .*it is not a folder/,
      ],
      [
        ["show", "folder", "--store", `jsonl:${dir}`],
        /Cannot read the store jsonl:.* as .*not a regular file/,
      ],
      [
        ["show", "x", "--store", `jsonl:${dir}`],
        /Cannot read run "x" as the store jsonl:.* has no such run: it holds none/,
      ],
      [["show", "../x", "--store", `jsonl:${dir}`], /Cannot use "runId" as .*: "\.\.\/x"/],
    ];
    for (const [args, expected] of cases) {
      const { code, out, err } = await commandLine(...args);
      assertEquals([code, out], [1, ""], args.join(" "));
      assertMatch(err, new RegExp(`^error: ${expected.source}.*\\n$`));
      assertEquals(err.split("\n").length, 2);
    }
    assertEquals([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), [
      "empty",
      "folder.jsonl",
      "junk",
    ]);
  });
});

Deno.test("verify tells when SQLite or KV lost the end of a finished run", async () => {
  await withFolder(async (dir) => {
    await makeRun(sqliteStore({ path: `${dir}/runs.db` }), "r");
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(`${dir}/runs.db`);
    database.exec("DELETE FROM entries WHERE seq = 3");
    database.close();
    using kv = await Deno.openKv(`${dir}/runs.kv`);
    await makeRun(kvStore({ kv }), "r");
    const keys = await Array.fromAsync(
      kv.list({ prefix: ["polyloop", "v1", "entry"] }),
      ({ key }) => key,
    );
    await kv.delete(keys.at(-1)!);
    for (
      const [store, seq] of [[`sqlite:${dir}/runs.db`, 3], [`kv:${dir}/runs.kv`, keys.length - 1]]
    ) {
      const { code, out } = await commandLine("verify", "r", "--store", String(store));
      assertEquals(code, 1);
      assertMatch(
        out,
        new RegExp(`^FAULT in run r at entry ${seq}: the store holds the run as finished`),
      );
    }
  });
});

Deno.test("list and export name a damaged run and go on with the others", async () => {
  await withFolder(async (dir) => {
    const store = jsonlStore({ dir });
    for (const runId of ["a", "b", "c"]) await makeRun(store, runId);
    await leaveOpen(store, "open");
    const path = `${dir}/b.jsonl`;
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("look", "hook"));
    const list = await commandLine("list", "--store", `jsonl:${dir}`);
    assertEquals([list.code, list.err], [1, ""]);
    assertMatch(list.out, /^b +unreadable: Cannot read entry 2 of run "b" as .*$/m);
    assertMatch(list.out, /^c .* final_answer$/m);
    assertMatch(list.out, /^open .* not finished: 1 step recorded; step 1 is open$/m);
    const rows = await commandLine("export", "--store", `jsonl:${dir}`);
    assertEquals(rows.code, 1);
    assertMatch(rows.err, /^error: Cannot read entry 2 of run "b" .*\n$/);
    const ids = rows.out.trimEnd().split("\n").map((line) => JSON.parse(line).run_id);
    assertEquals([...new Set(ids)], ["a", "c", "open"]);
  });
});

Deno.test("the reading commands write short lines of a log whose names and ids are long", () =>
  withFolder(async (dir) => {
    await makeRun(jsonlStore({ dir }), "run");
    const long = "k".repeat(20_000);
    const [text, path] = [await Deno.readTextFile(`${dir}/run.jsonl`), `${dir}/run.jsonl`];
    const records = text.trimEnd().split("\n")
      .map((line) => line.slice(line.indexOf('"records":[') + 11, line.lastIndexOf('],"hash":')));
    const changes = [
      (json: string) => json.replace("{", `{"${long}":1,`),
      (json: string) => json.replace(/"(callId|status|binding)":"[^"]+"/g, `"$1":"${long}"`),
    ];
    for (const change of changes) {
      let [prev, changed] = [digest("run"), ""];
      for (const [seq, json] of records.entries()) {
        const entry = frameLogLine(seq, prev, change(json));
        prev = entry.hash;
        changed += `${entry.line}\n`;
      }
      await Deno.writeTextFile(path, changed);
      for (const command of READING("run")) {
        const { out, err } = await commandLine(...command, "--store", `jsonl:${dir}`);
        const longest = Math.max(...`${out}\n${err}`.split("\n").map(({ length }) => length));
        assert(longest < 1_500, `${command}: ${longest}`);
      }
    }
  }));

Deno.test("a run is not put into a file that Deno KV would take and did not make, nor into one that is damaged", async () => {
  await inTempFolder(async (dir) => {
    using files = foreignFiles(dir);
    const sound = `${dir}/sound`;
    const kv = await Deno.openKv(sound);
    await makeRun(kvStore({ kv }), "r");
    kv.close();
    const bytes = Deno.readFileSync(sound);
    const damaged = new Map([
      ["cut", bytes.slice(0, bytes.length / 2)],
      ["a header of junk", bytes.slice().fill(0xff, 100, 400)],
      ["pages of junk", bytes.slice().fill(0xee, 4096, 4 * 4096)],
    ]);
    const paths = new Map(files.paths);
    for (const [what, content] of damaged) {
      const path = `${dir}/${what.replaceAll(" ", "-")}`;
      Deno.writeFileSync(path, content);
      paths.set(what, path);
    }
    const before = folderFacts(dir);
    for (const [what, path] of paths) {
      const { message } = await assertRejects(
        () => openStoreToDrive(`kv:${path}`),
        Error,
        undefined,
        what,
      );
      assertStringIncludes(message, `Cannot use "${path}" for runs as `);
    }
    assertEquals(folderFacts(dir), before);
    await assertRejects(
      () => openStoreToDrive(`kv:${dir}/no/folder`),
      Error,
      `Cannot open kv:${dir}/no/folder as `,
    );
    Deno.writeFileSync(`${dir}/empty`, new Uint8Array());
    for (const name of ["sound", "empty", "new"]) {
      const open = await openStoreToDrive(`kv:${dir}/${name}`);
      assertEquals(await open.store.listRuns(), name === "sound" ? ["r"] : []);
      open.close();
    }
  });
});
