import { assertEquals, assertMatch } from "@std/assert";
import { jsonlStore } from "../../stores/jsonl.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import {
  commandLine,
  HAS_TERMINAL,
  onScreen,
  shellWords,
  typedOnTerminal,
} from "./command_line.ts";
import { makeRun } from "./made_runs.ts";

async function withRun(body: (dir: string, store: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await makeRun(jsonlStore({ dir }), "r");
    await body(dir, `jsonl:${dir}`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("delete --yes removes a run and nothing else, and says so where there is none", async () => {
  await withRun(async (dir, store) => {
    await makeRun(jsonlStore({ dir }), "kept");
    const { code, out, err } = await commandLine("delete", "r", "--yes", "--store", store);
    assertEquals([code, out, err], [0, "", 'run "r" is deleted\n']);
    assertEquals(await jsonlStore({ dir }).listRuns(), ["kept"]);
    const again = await commandLine("delete", "r", "--yes", "--store", store);
    assertEquals([again.code, again.out], [1, ""]);
    assertMatch(
      again.err,
      /^error: Cannot delete run "r" as the store jsonl:.* has no such run\n$/,
    );
  });
});

Deno.test("delete removes a run from a database, and makes none where there is none", async () => {
  await withRun(async (dir) => {
    const path = `${dir}/runs.db`;
    const words = ["delete", "r", "--yes", "--store", `sqlite:${path}`];
    assertEquals((await commandLine(...words)).code, 1);
    await makeRun(sqliteStore({ path }), "r");
    assertEquals((await commandLine(...words)).code, 0);
    assertEquals(await sqliteStore({ path }).listRuns(), []);
  });
});

Deno.test("delete removes a run that is damaged", async () => {
  await withRun(async (dir, store) => {
    const path = `${dir}/r.jsonl`;
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("Go on", "Go off"));
    assertEquals((await commandLine("delete", "r", "--yes", "--store", store)).code, 0);
    assertEquals(await jsonlStore({ dir }).listRuns(), []);
  });
});

Deno.test("delete needs --yes where there is no terminal", async () => {
  await withRun(async (dir, store) => {
    const { code, err } = await commandLine("delete", "r", "--store", store);
    assertEquals(code, 2);
    assertMatch(err, /^error: Cannot delete a run unasked: .*--yes is needed\n$/);
    assertEquals(await jsonlStore({ dir }).listRuns(), ["r"]);
  });
});

Deno.test("delete asks, and does nothing without a yes", async () => {
  await withRun(async (dir, store) => {
    const asked: string[] = [];
    const answered = (answer: string) =>
      onScreen({ ask: (question) => (asked.push(question), answer) }, "delete", "r", ...[
        "--store",
        store,
      ]);
    for (const answer of ["", "n", "yes, but no"]) {
      assertEquals(await answered(answer), { code: 1, out: "", err: "nothing was deleted\n" });
    }
    assertEquals(await jsonlStore({ dir }).listRuns(), ["r"]);
    assertEquals((await answered("Yes ")).code, 0);
    assertEquals(await jsonlStore({ dir }).listRuns(), []);
    const question = 'Delete run "r" (final_answer: the model gave its answer)? [y/N] ';
    assertEquals(new Set(asked), new Set([question]));
  });
});

Deno.test({
  name: "delete asks on a terminal, and takes the line that is typed there",
  ignore: !HAS_TERMINAL,
  async fn() {
    await withRun(async (dir, store) => {
      const words = shellWords("delete", "r", "--store", store);
      const { code, out } = await typedOnTerminal(words, "yes, but no\n");
      assertEquals(code, 1);
      assertMatch(out, /Delete run "r" \(.*\)\? \[y\/N\] [^]*nothing was deleted/);
      assertEquals(await jsonlStore({ dir }).listRuns(), ["r"]);
      assertEquals((await typedOnTerminal(words, "y\n")).code, 0);
      assertEquals(await jsonlStore({ dir }).listRuns(), []);
    });
  },
});

Deno.test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  assertEquals(await commandLine("--version"), { code: 0, out: `${version}\n`, err: "" });
});

Deno.test("verify tells a head that is none from one that the log has not", async () => {
  await withRun(async (_, store) => {
    const verify = (head: string) => commandLine("verify", "r", "--head", head, "--store", store);
    for (const head of ["abc", "sha256:abc", `sha256:${"A".repeat(64)}`]) {
      const { code, out, err } = await verify(head);
      assertEquals([code, out], [2, ""]);
      assertMatch(err, /^error: Cannot use ".*" as a head: it is "sha256:" and 64 hex digits\n$/);
    }
    const { code, out } = await verify(`sha256:${"a".repeat(64)}`);
    assertEquals(code, 1);
    assertMatch(out, /^FAULT in run r at entry \d+: the log ends with the head /);
  });
});
