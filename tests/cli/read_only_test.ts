import { assert, assertEquals, assertMatch } from "@std/assert";
import { jsonlStore } from "../../stores/jsonl.ts";
import { kvStore } from "../../stores/kv.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import { inTempFolder } from "../stores/drivers/temp_folder.ts";
import { folderFacts, foreignFiles } from "../stores/sqlite/foreign_files.ts";
import { commandLine } from "./command_line.ts";
import { leaveOpen, makeRun, READING } from "./made_runs.ts";

/** Runs a test in a folder, with another folder for what the commands copy; nothing may be left in that one. */
async function withFolders(
  body: (dir: string, env: { readonly TMPDIR: string }) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (above) => {
    const [dir, copies] = [`${above}/dir`, `${above}/copies`];
    Deno.mkdirSync(dir);
    Deno.mkdirSync(copies);
    // The environment is one for all files of tests that run at once: only programs are given another.
    const { makeTempDir } = Deno;
    Deno.makeTempDir = (options) => makeTempDir({ ...options, dir: copies });
    try {
      await body(dir, { TMPDIR: copies });
      assertEquals([...Deno.readDirSync(copies)], []);
    } finally {
      Deno.makeTempDir = makeTempDir;
    }
  });
}

Deno.test("the reading commands refuse a file of another program, and leave it and what is beside it as it was", async () => {
  await withFolders(async (dir) => {
    using files = foreignFiles(dir);
    const ours = `${dir}/ours`;
    Deno.mkdirSync(ours);
    await makeRun(sqliteStore({ path: `${ours}/file` }), "r");
    const paths = new Map([...files.paths, ["a store of SQLite, for KV", `${ours}/file`]]);
    const kv = await Deno.openKv(`${dir}/kv`);
    await kv.set(["a"], 1);
    kv.close();
    let turn = 0;
    for (const [what, path] of [...paths, ["a KV, for SQLite", `${dir}/kv`] as const]) {
      const kinds = what.endsWith("for KV")
        ? ["kv"]
        : what.endsWith("for SQLite")
        ? ["sqlite"]
        : ["sqlite", "kv"];
      for (const kind of kinds) {
        const folder = path.slice(0, path.lastIndexOf("/"));
        const before = folderFacts(folder);
        // All open a store by the same function: they take turns.
        const command = READING("r")[turn++ % READING("r").length] ?? [];
        const { code, out, err } = await commandLine(...command, "--store", `${kind}:${path}`);
        assertEquals(
          [code, out.replace(/^run_id,.*\n/, "")],
          [1, ""],
          `${command} ${kind}, ${what}`,
        );
        assertMatch(err, /^error: [^\n]+\n$/);
        assert(err.includes(path) && !err.includes("copies"), err);
        assertEquals(folderFacts(folder), before, `${kind}, ${what}`);
      }
    }
  });
});

/** Makes a store's runs `r`, which has finished, and `open`, and gives its name. */
async function madeStore(kind: string, dir: string): Promise<string> {
  Deno.mkdirSync(`${dir}/${kind}`);
  const path = `${dir}/${kind}/runs`;
  if (kind === "kv") {
    const kv = await Deno.openKv(path);
    await makeRun(kvStore({ kv }), "r");
    await leaveOpen(kvStore({ kv }), "open");
    kv.close();
  } else {
    const store = kind === "jsonl" ? jsonlStore({ dir: path }) : sqliteStore({ path });
    await makeRun(store, "r");
    await leaveOpen(store, "open");
  }
  return `${kind}:${path}`;
}

/** What each reading command says of a store. */
async function read(store: string): Promise<readonly (readonly [number, string, string])[]> {
  const all: [number, string, string][] = [];
  for (const command of READING("r")) {
    const { code, out, err } = await commandLine(...command, "--store", store);
    all.push([code, out.replaceAll(store.slice(store.indexOf(":") + 1), "PATH"), err]);
  }
  return all;
}

for (const kind of ["jsonl", "sqlite", "kv"]) {
  Deno.test(`the reading commands leave every byte, mode and time of ${kind} as it was`, async () => {
    await withFolders(async (dir) => {
      const store = await madeStore(kind, dir);
      const before = folderFacts(dir);
      for (const [code, out, err] of await read(store)) {
        assertEquals([code, err, out === ""], [0, "", false]);
      }
      assertEquals(folderFacts(dir), before);
    });
  });
}

/** Has a body run while a store's database is open in this process, with commits that are in its WAL alone. */
async function whileOpen(store: string, body: () => Promise<void>): Promise<void> {
  const path = store.slice(store.indexOf(":") + 1);
  if (store.startsWith("kv")) {
    using kv = await Deno.openKv(path);
    await makeRun(kvStore({ kv }), "late");
    return await body();
  }
  const driver = sqliteStore({ path });
  const held = { ...driver, releaseRun: () => Promise.resolve() };
  await makeRun(held, "late");
  await body();
  await driver.releaseRun("late");
}

for (const kind of ["sqlite", "kv"]) {
  Deno.test(`the reading commands read ${kind} while another program has it open, and after it was killed`, async () => {
    await withFolders(async (dir) => {
      const store = await madeStore(kind, dir);
      const folder = `${dir}/${kind}`;
      const left = `${dir}/left`;
      Deno.mkdirSync(left);
      let open: unknown;
      await whileOpen(store, async () => {
        const before = folderFacts(folder);
        assert(before.some((fact) => fact.startsWith("runs-wal")), "nothing is in the WAL");
        open = await read(store);
        assertMatch((await commandLine("list", "--store", store)).out, /^late .* final_answer$/m);
        assertEquals(folderFacts(folder), before);
        for (const { name } of Deno.readDirSync(folder)) {
          Deno.copyFileSync(`${folder}/${name}`, `${left}/${name}`);
        }
      });
      const before = folderFacts(left);
      assertEquals(await read(`${kind}:${left}/runs`), open);
      assertEquals(folderFacts(left), before);
    });
  });
}

/** Whether a folder can be made one that nobody can write to, not the superuser either. */
function canMountReadOnly(): boolean {
  try {
    const args = ["-m", "sh", "-c", "mount --bind /usr /usr && mount -o remount,ro,bind /usr"];
    return new Deno.Command("unshare", { args, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "the reading commands read from a medium that cannot be written to",
  ignore: !canMountReadOnly(),
  async fn() {
    await withFolders(async (dir, env) => {
      const lines: string[][] = [];
      for (const kind of ["jsonl", "sqlite", "kv"]) {
        const store = await madeStore(kind, dir);
        for (const words of [["list"], ["show", "r"], ["verify", "r"], ["export"]]) {
          lines.push([...words, "--store", store]);
        }
      }
      let expected = "";
      for (const words of lines) expected += (await commandLine(...words)).out;
      const program = `import { main } from "${new URL("../../cli/mod.ts", import.meta.url)}";
        for (const words of ${JSON.stringify(lines)}) if (await main(words) !== 0) Deno.exit(1);`;
      const args = ["eval", "--no-lock", "--unstable-kv", program];
      const mounts = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"';
      const script = `${mounts} && ! touch "$0/x" 2>/dev/null && "$@"`;
      const { code, stdout, stderr } = await new Deno.Command("unshare", {
        args: ["-m", "sh", "-c", script, dir, Deno.execPath(), ...args],
        env,
      }).output();
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
      assertEquals(new TextDecoder().decode(stdout), expected);
    });
  },
});

Deno.test("the reading commands take nothing for a journal that is not a file", async () => {
  await withFolders(async (dir) => {
    for (const kind of ["sqlite", "kv"]) {
      const store = await madeStore(kind, dir);
      for (const suffix of ["-wal", "-journal"]) {
        for (const target of ["pipe", "/dev/zero"]) {
          const beside = `${dir}/${kind}/runs${suffix}`;
          if (target === "pipe") new Deno.Command("mkfifo", { args: [beside] }).outputSync();
          else Deno.symlinkSync(target, beside);
          const { code, err } = await commandLine("list", "--store", store);
          assertEquals(code, 1);
          assertMatch(err, /^error: Cannot read the store .* beside it is not a file\n$/);
          Deno.removeSync(beside);
        }
      }
    }
  });
});
