import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { RunLockedError, StoreFailedError } from "../../../types/mod.ts";
import { logBuilder, resumedLogBuilder } from "../../contract/_log_builder.ts";
import { type DriverProcess, driverProcess } from "../drivers/driver_process.ts";
import { inTempFolder, namesIn, textOf } from "../drivers/temp_folder.ts";

const RUN = "run";
const unix = Deno.build.os !== "windows";
const root = unix && Deno.uid() === 0;

async function withDrivers(
  dir: string,
  count: number,
  body: (...drivers: DriverProcess[]) => Promise<void>,
  before: readonly string[] = [],
): Promise<void> {
  const drivers = Array.from({ length: count }, () => driverProcess(dir, RUN, before));
  try {
    await body(...drivers);
  } finally {
    for (const driver of drivers) await driver.end();
  }
}

/** A driver that has started the run and holds it with three entries, the last an outcome. */
async function drive(driver: DriverProcess): Promise<void> {
  for (const command of ["start", "intent 10", "outcome 10"]) {
    assertEquals(await driver.ask(command), "ok");
  }
}

Deno.test("jsonlStore() refuses a second process at once and lets it read", async () => {
  await inTempFolder((dir) =>
    withDrivers(dir, 2, async (first, second) => {
      await drive(first!);
      assertEquals(await second!.ask("read"), "ok 3");
      assertStringIncludes(
        await second!.ask("intent"),
        `run_locked - Cannot open run "run" as another`,
      );
      assertStringIncludes(await second!.ask("start"), "run_exists");
      assertEquals(await first!.ask("intent"), "ok");
      assertEquals(await first!.ask("release"), "ok");
      assertStringIncludes(await second!.ask("intent"), "store_failed none");
      assertEquals(await second!.ask("read"), "ok 4");
      assertEquals(await second!.ask("intent"), "ok");
      assertStringIncludes(await first!.ask("intent"), "run_locked");
      assertEquals(await second!.ask("release"), "ok");
      assertStringIncludes(await first!.ask("intent"), "store_failed none");
      assertEquals((await jsonlStore({ dir }).readRun(RUN))?.length, 5);
    })
  );
});

Deno.test("jsonlStore() keeps what a killed process was told, and its lock is gone", async () => {
  await inTempFolder((dir) =>
    withDrivers(dir, 1, async (driver) => {
      await drive(driver!);
      const store = jsonlStore({ dir });
      const lines = (await store.readRun(RUN))!;
      const log = resumedLogBuilder(RUN, lines);
      await assertRejects(() => store.writeIntent(RUN, log.fork().next()), RunLockedError);
      await driver!.end();
      assertEquals((await store.readRun(RUN))?.length, 3);
      await store.writeIntent(RUN, log.next());
      await store.releaseRun(RUN);
      assertEquals(await store.readRun(RUN), log.lines);
    })
  );
});

Deno.test("jsonlStore() lets one of two racing processes act, with equal bytes too", async () => {
  await inTempFolder((dir) =>
    withDrivers(dir, 2, async (...drivers) => {
      const both = async (command: string) => {
        await Promise.all(drivers.map((driver) => driver.send(command)));
        return await Promise.all(drivers.map((driver) => driver.answer()));
      };
      const started = await both("start");
      assertEquals(started.filter((answer) => answer === "ok").length, 1, started.join());
      await both("release");
      for (let length = 1; length < 30; length++) {
        assertEquals(await both("read"), [`ok ${length}`, `ok ${length}`]);
        const written = await both("intent 10");
        assertEquals(written.filter((answer) => answer === "ok").length, 1, written.join());
        const refused = written.find((answer) => answer !== "ok")!;
        assertMatch(refused, /^(run_locked|run_conflict) /);
        assertEquals(await both("release"), ["ok", "ok"]);
      }
    })
  );
});

Deno.test({
  name: "jsonlStore() holds the lock of a stopped process, which finds a run made anew",
  ignore: !unix,
  fn: async () => {
    await inTempFolder((dir) =>
      withDrivers(dir, 1, async (driver) => {
        await drive(driver!);
        driver!.kill("SIGSTOP");
        const store = jsonlStore({ dir });
        const log = resumedLogBuilder(RUN, (await store.readRun(RUN))!);
        await assertRejects(() => store.writeIntent(RUN, log.next()), RunLockedError);
        await assertRejects(() => store.deleteRun(RUN), RunLockedError);

        Deno.removeSync(`${dir}/${RUN}.jsonl`);
        const anew = logBuilder(RUN);
        await store.startRun(RUN, anew.start());
        await store.writeIntent(RUN, anew.next());
        driver!.kill("SIGCONT");
        assertStringIncludes(await driver!.ask("intent"), "run_conflict - Cannot write entry 3");
        assertStringIncludes(await driver!.ask("intent"), "store_failed none");
        assertEquals(Deno.readTextFileSync(`${dir}/${RUN}.jsonl`), textOf(anew.lines));
        await store.releaseRun(RUN);
      })
    );
  },
});

Deno.test("jsonlStore() stops when its file is deleted or its permission revoked", async () => {
  for (const revoked of [false, true]) {
    await inTempFolder((dir) =>
      withDrivers(dir, 1, async (driver) => {
        await drive(driver!);
        if (revoked) assertEquals(await driver!.ask("revoke"), "ok");
        else Deno.removeSync(`${dir}/${RUN}.jsonl`);
        const answer = await driver!.ask("intent");
        assertStringIncludes(
          answer,
          `store_failed none Cannot write to run "run" as "${dir}/run.jsonl"`,
        );
        assertStringIncludes(answer, revoked ? "Requires read access" : "it was deleted");
        if (revoked) assertEquals((await jsonlStore({ dir }).readRun(RUN))?.length, 3);
        else assertEquals(namesIn(dir), []);
      })
    );
  }
});

/** Writes entries until one fails, and checks that all before it are there and nothing of it is. */
async function fillUp(dir: string, driver: DriverProcess, failure: string): Promise<number> {
  await drive(driver);
  let [length, answer] = [3, "ok"];
  while (answer === "ok" && length < 100) {
    answer = await driver.ask("outcome 3000");
    if (answer === "ok") length++;
  }
  assertStringIncludes(answer, `store_failed none Cannot write to run "run" as "${dir}/run.jsonl"`);
  assertStringIncludes(answer, failure);
  const lines = (await jsonlStore({ dir }).readRun(RUN))!;
  assertEquals([lines.length, Deno.readTextFileSync(`${dir}/run.jsonl`)], [length, textOf(lines)]);
  assertStringIncludes(await driver.ask("outcome"), "store_failed none");
  assertEquals(await driver.ask("read"), `ok ${length}`);
  assertEquals(await driver.ask("outcome 1"), "ok", "there is room for a small entry");
  assertEquals(await driver.ask("release"), "ok");
  return length;
}

Deno.test({
  name: "jsonlStore() takes a write back at a real limit of the file's size",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const limit = ["sh", "-c", 'trap "" XFSZ; exec prlimit --fsize=22000 "$@"', "sh"];
    await inTempFolder((dir) =>
      withDrivers(dir, 1, async (driver) => {
        assert(await fillUp(dir, driver!, "File too large") > 5);
      }, limit)
    );
  },
});

Deno.test({
  name:
    "jsonlStore() takes a write back on a real disk that is full, and stops on one made read-only",
  ignore: !root || Deno.build.os !== "linux",
  fn: async () => {
    await inTempFolder(async (dir) => {
      if (!await mounted("-t", "tmpfs", "-o", "size=32k", "tmpfs", dir)) return;
      try {
        await withDrivers(dir, 1, async (driver) => {
          const length = await fillUp(dir, driver!, "No space left on device");
          await mounted("-o", "remount,ro", dir);
          assertEquals(await driver!.ask("read"), `ok ${length + 1}`);
          const answer = await driver!.ask("outcome");
          assertStringIncludes(
            answer,
            `store_failed none Cannot write to run "run" as "${dir}/run.jsonl"`,
          );
          assertStringIncludes(answer, "Read-only file system");
          const other = logBuilder("other").start();
          const start = () => jsonlStore({ dir }).startRun("other", other);
          await assertRejects(start, StoreFailedError, "Read-only file system");
          assertEquals((await jsonlStore({ dir }).readRun(RUN))?.length, length + 1);
        });
      } finally {
        await new Deno.Command("umount", { args: [dir] }).output();
      }
    });
  },
});

async function mounted(...args: string[]): Promise<boolean> {
  const { success, stderr } = await new Deno.Command("mount", { args }).output();
  // deno-lint-ignore no-console -- a skipped test says why
  if (!success) console.warn(`skipped: ${new TextDecoder().decode(stderr).trim()}`);
  return success;
}
