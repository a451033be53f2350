import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { kvStore } from "../../stores/kv.ts";
import { jsonlStore } from "../../stores/jsonl.ts";
import { sqliteStore } from "../../stores/sqlite.ts";
import {
  commandLine,
  commandProcess,
  HAS_TERMINAL,
  onScreen,
  onTerminal,
  PROGRAM,
  shellWords,
} from "./command_line.ts";
import { HOSTILE, leaveOpen, makeRun } from "./made_runs.ts";

const OBEYED = /(?![\n\t])[\p{Cc}\u202e]/u;
const COLOR = /\p{Cc}\[\d+m/gu;

async function withFolder(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("each command has help, and words that it cannot understand exit with 2", async () => {
  const names = ["demo", "run", "resume", "list", "show", "prompt", "verify", "export", "delete"];
  const overview = await commandLine("--help");
  assertEquals([overview.code, overview.err], [0, ""]);
  for (const name of names) {
    assertMatch(overview.out, new RegExp(`^  ${name} `, "m"));
    const help = await commandLine(name, "--help");
    assertEquals([help.code, help.err], [0, ""]);
    assertMatch(help.out, new RegExp(`^Usage: ${name} `));
    const wrong = await commandLine(name, "--wrong");
    assertEquals([wrong.code, wrong.out], [2, ""]);
    assertMatch(wrong.err, /^error: Cannot understand .*"--wrong".*\n$/);
  }
  assertEquals((await commandLine()).code, 2);
  assertEquals((await commandLine("sow")).code, 2);
  assertEquals((await commandLine("list", "--store", "runs")).code, 2);
  assertEquals((await commandLine("prompt", "r", "first")).code, 2);
  assertEquals((await commandLine("export", "--format", "xml")).code, 2);
  const words = ["list", "--wrong"];
  assertEquals(await commandProcess(words), await commandLine(...words));
});

Deno.test("the commands read every store alike", async () => {
  await withFolder(async (dir) => {
    const [jsonl, sqlite, kv] = [`${dir}/runs`, `${dir}/runs.db`, `${dir}/runs.kv`];
    await makeRun(jsonlStore({ dir: jsonl }), "r");
    await makeRun(sqliteStore({ path: sqlite }), "r");
    const database = await Deno.openKv(kv);
    await makeRun(kvStore({ kv: database }), "r");
    database.close();
    for (const store of [`jsonl:${jsonl}`, `sqlite:${sqlite}`, `kv:${kv}`]) {
      const read = (...args: string[]) => commandLine(...args, "--store", store);
      assertMatch((await read("list")).out, /^r +\d{4}-.* 5 +5 +12 +final_answer$/m);
      assertMatch(
        (await read("show", "r")).out,
        /^stopped +final_answer: the model gave its answer$/m,
      );
      assertMatch((await read("verify", "r")).out, /^ok: run r, /);
      assertEquals((await read("export", "r")).out.trimEnd().split("\n").length, 5);
      const prompt = await read("prompt", "r", "2");
      assertMatch(
        prompt.out,
        /^call 2 \(the run has 5 calls, from 0\): 5 messages, \d+ characters/,
      );
      assertStringIncludes(prompt.out, "\n── assistant, 7 characters\n  do look\n");
      const messages = JSON.parse((await read("prompt", "r", "2", "--json")).out);
      assertEquals(messages.length, 5);
      assertEquals(messages[1].content, [{ type: "text", text: "do look" }]);
    }
  });
});

Deno.test("the default store is .polyloop in the folder one is in", async () => {
  await withFolder(async (dir) => {
    await makeRun(jsonlStore({ dir: `${dir}/.polyloop` }), "here");
    const { code, out } = await commandProcess(["show", "here"], {}, dir);
    assertEquals([code, out.includes("\x1b")], [0, false]);
    assertMatch(out, /^stopped +final_answer/m);
  });
});

Deno.test("where no store was named, a run or a store that is not there is told with how to name one", async () => {
  const { code, err } = await commandLine("show", "never-made");
  assertEquals(code, 1);
  assertMatch(err, /^error: Cannot read .*; --store names another\n$/);
  await withFolder(async (dir) => {
    const named = await commandLine("show", "never-made", "--store", `jsonl:${dir}`);
    assertMatch(named.err, /^error: Cannot read .* has no such run: it holds none\n$/);
  });
});

Deno.test("list says of a store without runs that it holds none", async () => {
  await withFolder(async (dir) => {
    assertEquals(await commandLine("list", "--store", `jsonl:${dir}`), {
      code: 0,
      out: "",
      err: "the store holds no runs\n",
    });
  });
});

Deno.test("show tells what is unknown, and gives all of it as JSON", async () => {
  await withFolder(async (dir) => {
    await leaveOpen(jsonlStore({ dir }), "open");
    const page = await commandLine("show", "open", "--store", `jsonl:${dir}`);
    assertMatch(
      page.out,
      /^stopped +not finished: 1 step recorded; step 1 is open: action open\/s1_a0 was about/m,
    );
    assertMatch(page.out, /^unknown +open\/s1_a0: no result yet, or it is lost$/m);
    const { runId, steps, open } = JSON.parse(
      (await commandLine("show", "open", "--json", "--store", `jsonl:${dir}`)).out,
    );
    assertEquals([runId, steps.length, open.openAction.actionId], ["open", 1, "open/s1_a0"]);
  });
});

Deno.test("prompt refuses a call that is not there, and a log without inputs", async () => {
  await withFolder(async (dir) => {
    const store = jsonlStore({ dir });
    await makeRun(store, "r");
    await makeRun(store, "bare", ["answer yes"], {}, { recordInputs: false });
    const missing = await commandLine("prompt", "r", "5", "--store", `jsonl:${dir}`);
    assertEquals([missing.code, missing.out], [1, ""]);
    assertMatch(missing.err, /^error: Cannot show call 5 as run "r" has calls 0 to 4\n$/);
    const bare = await commandLine("prompt", "bare", "0", "--store", `jsonl:${dir}`);
    assertMatch(bare.err, /^error: .* recorded without its inputs.*\n$/);
  });
});

Deno.test("hostile text in a log cannot command a terminal, and export and --json keep it", async () => {
  await withFolder(async (dir) => {
    const runId = "hostile";
    const replies = [`do ${HOSTILE}`, HOSTILE, new TypeError(HOSTILE), `answer ${HOSTILE}`];
    await makeRun(jsonlStore({ dir }), runId, replies);
    const store = ["--store", `jsonl:${dir}`];
    const read = (...args: string[]) => commandLine(...args, ...store);
    const commands = [["list"], ["show", runId], ["prompt", runId, "3"], ["verify", runId]];
    for (const args of [...commands, ["show", runId, "--json"], ["export"]]) {
      const { code, out } = await read(...args);
      assertEquals({ command: args[0], code, obeyed: OBEYED.exec(out) }, {
        command: args[0],
        code: 0,
        obeyed: null,
      });
    }
    const { steps } = JSON.parse((await read("show", runId, "--json")).out);
    assertEquals(steps[0].reply.text, `do ${HOSTILE}`);
    const rows = (await read("export")).out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(rows[2].error_message, HOSTILE);
    assertStringIncludes((await read("export", "--format", "csv")).out, `"do ${HOSTILE}"`);
    const error = await read("show", "\x1b[2J");
    assertEquals({ code: error.code, obeyed: OBEYED.exec(error.err) }, { code: 1, obeyed: null });
    for (const args of [...commands, ["export", "--format", "csv"]]) {
      const { out } = await onScreen({ isTerminal: true, hasColor: true }, ...args, ...store);
      assertEquals([args[0], OBEYED.exec(out.replaceAll(COLOR, ""))], [args[0], null]);
    }
  });
});

Deno.test({
  name: "colours are for terminals, and not where NO_COLOR is set",
  ignore: !HAS_TERMINAL,
  async fn() {
    await withFolder(async (dir) => {
      await makeRun(jsonlStore({ dir }), "r");
      const args = ["show", "r", "--store", `jsonl:${dir}`];
      const painted = await onTerminal(shellWords(...args));
      assertEquals(painted.code, 0);
      assertStringIncludes(painted.out, "\x1b[32m");
      const plain = await onTerminal(shellWords(...args), { NO_COLOR: "1" });
      assert(!plain.out.includes("\x1b"));
      assertEquals(
        plain.out.replaceAll("\r\n", "\n"),
        painted.out.replaceAll(COLOR, "").replaceAll("\r\n", "\n"),
      );
    });
  },
});

Deno.test("a pipe that is closed ends a command quietly", async () => {
  await withFolder(async (dir) => {
    const store = jsonlStore({ dir });
    await makeRun(
      store,
      "long",
      [`do ${"look ".repeat(1_500)}`, `answer ${"yes ".repeat(40_000)}`],
      {
        budget: {
          maxSteps: 9,
          maxModelCalls: 9,
          maxPromptChars: 99_999,
          maxConsecutiveFailures: 1,
        },
      },
    );
    const closed = {
      print() {
        throw new Deno.errors.BrokenPipe();
      },
    };
    const where = ["--store", `jsonl:${dir}`];
    for (const command of [["export"], ["show", "long"], ["show", "long", "--json"]]) {
      const { code, err } = await onScreen(closed, ...command, ...where);
      assertEquals([err, code], ["", 1]);
    }
    const [program, ...words] = [...PROGRAM, "export", ...where];
    const child = new Deno.Command(program!, {
      args: words,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    await child.stdout.cancel();
    const err = await new Response(child.stderr).text();
    assertEquals([err, (await child.status).code], ["", 1]);
  });
});
