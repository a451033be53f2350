import { assert, assertEquals, assertRejects } from "@std/assert";
import { RunConflictError, StoreFailedError } from "../../../types/mod.ts";
import { driving, writes } from "../drivers/driven_run.ts";
import { namesIn } from "../drivers/temp_folder.ts";

Deno.test("jsonlStore() writes at the end whatever else writes to the file", async () => {
  await driving(async (driven) => {
    const { disk, store, log, path } = driven;
    const before = Deno.readTextFileSync(path);
    disk.onCall = ({ op }) => {
      if (op !== "write") return;
      disk.onCall = () => {};
      Deno.writeTextFileSync(path, "foreign\n", { append: true });
    };
    const entry = log.fork().next();
    await store.writeIntent("run", entry);
    assertEquals(Deno.readTextFileSync(path), `${before}foreign\n${entry.line}\n`);
    await assertRejects(
      () => store.writeIntent("run", log.fork().next()),
      RunConflictError,
    );
  });
});

const OUTSIDE: readonly [string, (path: string) => void, string, string][] = [
  ["deleted", (path) => Deno.removeSync(path), "store_failed", "it was deleted while"],
  ["cut short", (path) => Deno.truncateSync(path, 100), "store_failed", "it was cut short while"],
  ["emptied", (path) => Deno.truncateSync(path, 0), "store_failed", "it was cut short while"],
  [
    "written to",
    (path) => Deno.writeTextFileSync(path, "x", { append: true }),
    "run_conflict",
    "something else wrote to",
  ],
  ["replaced", replace, "run_conflict", "another file took the place of"],
  [
    "replaced by a link to itself",
    (path) => {
      Deno.renameSync(path, `${path}.moved`);
      Deno.symlinkSync(`${path}.moved`, path);
    },
    "store_failed",
    "it is a symbolic link",
  ],
];

function replace(path: string): void {
  const text = Deno.readFileSync(path);
  Deno.renameSync(path, `${path}.moved`);
  Deno.writeFileSync(path, text);
}

for (const [what, change, code, detail] of OUTSIDE) {
  Deno.test(`jsonlStore() notices that the file was ${what} while its run was driven`, async () => {
    await driving(async (driven) => {
      const { store, log, path } = driven;
      change(path);
      const content = () => namesIn(path.slice(0, path.lastIndexOf("/")));
      const names = content();
      const write = () => store.writeIntent("run", log.fork().next());
      const error = await assertRejects(write, Error, detail);
      assertEquals((error as StoreFailedError).code, code as StoreFailedError["code"]);
      assert(error.message.includes(`"${path}"`) && error.message.includes('"run"'));
      assertEquals(writes(driven), 0);
      assertEquals(content(), names);
      await assertRejects(write, StoreFailedError, "not read since");
    });
  });
}
