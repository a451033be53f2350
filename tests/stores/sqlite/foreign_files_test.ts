import { assert, assertEquals, assertRejects } from "@std/assert";
import { sqliteStore } from "../../../stores/sqlite.ts";
import { StoreFailedError } from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { inTempFolder } from "../drivers/temp_folder.ts";
import { folderFacts, foreignFiles } from "./foreign_files.ts";

Deno.test("sqliteStore() refuses a file of another program, and leaves it and what is beside it as it was", async () => {
  await inTempFolder(async (dir) => {
    using files = foreignFiles(dir);
    for (const [what, path] of files.paths) {
      const folder = path.replace(/\/file$/, "");
      const before = folderFacts(folder);
      const store = sqliteStore({ path });
      const calls = [
        () => store.listRuns(),
        () => store.readRun("run"),
        () => Array.fromAsync(store.readLines("run")),
        () => Array.fromAsync(store.readRuns()),
        () => store.startRun("run", logBuilder("run").start()),
        () => store.deleteRun("run"),
      ];
      for (const call of calls) {
        const { reason } = await assertRejects<StoreFailedError>(call, StoreFailedError);
        assert(
          /another program's tables|not a database|malformed/.test(reason),
          `${what}: ${reason}`,
        );
      }
      assertEquals(folderFacts(folder), before, what);
    }
  });
});

Deno.test("sqliteStore() refuses what is no file at once", async () => {
  await inTempFolder(async (dir) => {
    new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).outputSync();
    Deno.mkdirSync(`${dir}/folder`);
    for (const path of [`${dir}/pipe`, `${dir}/folder`, "/dev/null"]) {
      await assertRejects(() => sqliteStore({ path }).listRuns(), StoreFailedError, "not a file");
    }
  });
});
