import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inTempFolder, namesIn } from "../stores/drivers/temp_folder.ts";
import { commandLine, PROGRAM } from "./command_line.ts";

const ROOT = new URL("../../", import.meta.url).href;

/** A module whose agent says that it waits in its action, where `WAIT` is set, and waits for ever. */
const MODULE = `
import { defineAgent, defineRun, textMessage } from "${ROOT}mod.ts";
import { sqliteStore } from "${ROOT}stores/sqlite.ts";

export const agent = defineAgent({
  model: {
    call: ({ callId }) => Promise.resolve({ text: callId.endsWith("s0") ? "do it" : "done" }),
    parameters: () => ({}),
  },
  interpreter: {
    interpret: ({ text }) => ({
      decision: text === "do it"
        ? { kind: "action", actions: [{ action: {} }] }
        : { kind: "final_answer", answer: text },
      historyText: text,
    }),
    parameters: () => ({}),
  },
  store: sqliteStore({ path: "own.db", leaseMs: 4_000 }),
});
export const request = defineRun({
  runId: "sea",
  budget: { maxSteps: 5, maxModelCalls: 6, maxPromptChars: 999, maxConsecutiveFailures: 1 },
  executor: {
    async execute() {
      if (Deno.env.get("WAIT")) {
        console.error("it waits");
        await new Promise(() => {});
      }
      return { status: "executed", failed: false, observation: "did it", observationSynthetic: false, completed: false, truncatedChars: 0 };
    },
    parameters: () => ({}),
  },
  context: { runLevel: [], goalLevel: [textMessage("user", "Go.")] },
  cancelGraceMs: 0,
});
`;

const SQLITE = ["--store", "sqlite:runs.db"];

/** Starts a run that waits in its action, and gives its process once it does. */
async function waiting(dir: string, options: readonly string[]): Promise<Deno.ChildProcess> {
  const [program, ...words] = [...PROGRAM, "run", "sea.ts", ...options];
  const child = new Deno.Command(program!, {
    args: words,
    cwd: dir,
    env: { WAIT: "yes" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes("it waits")) return child;
  }
  throw new Error(`the run ended: ${said}`);
}

async function killed(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

async function withModule(body: (dir: string) => Promise<void>): Promise<void> {
  await inTempFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/sea.ts`, MODULE);
    await body(dir);
  });
}

Deno.test("resume goes on at once with a run in SQLite whose process was killed", async () => {
  await withModule(async (dir) => {
    await killed(await waiting(dir, SQLITE));
    const { code, out, err } = await commandLine(["resume", "sea.ts", ...SQLITE], {}, dir);
    assertEquals(code, 0, err);
    assertEquals(out, "done\n");
    assertEquals(err.includes("waiting"), false, err);
    assertEquals(namesIn(dir), ["runs.db", "sea.ts"]);
  });
});

Deno.test("resume waits once for the lease of a process that lives, and then says that it does", async () => {
  await withModule(async (dir) => {
    const child = await waiting(dir, []);
    const refused = await commandLine(["resume", "sea.ts"], {}, dir);
    assertEquals([refused.code, refused.out], [1, ""]);
    assertMatch(
      refused.err,
      /^waiting until 20\S+Z: .* run "sea" .*\(--take-over does not wait\)\nerror: .*its lease lasts until 20\S+Z\n$/,
    );
    await killed(child);
    const { code, err } = await commandLine(["resume", "sea.ts"], {}, dir);
    assertEquals(code, 0, err);
    assertMatch(err, /^waiting until /);
  });
});

Deno.test("resume --take-over takes a run from a process, which stops at its next write", async () => {
  await withModule(async (dir) => {
    const child = await waiting(dir, []);
    const taken = await commandLine(["resume", "sea.ts", "--take-over"], {}, dir);
    assertEquals(taken.code, 0, taken.err);
    assertEquals(taken.out, "done\n");
    assertEquals(taken.err.includes("waiting"), false, taken.err);
    child.kill("SIGINT");
    assertEquals((await child.status).code, 1);
    assertMatch(
      (await commandLine(["verify", "sea", "--store", "sqlite:own.db"], {}, dir)).out,
      /^ok/,
    );
  });
});

Deno.test("a second process does not take the leases of one that drives a run in the same file", async () => {
  await withModule(async (dir) => {
    const child = await waiting(dir, SQLITE);
    assertStringIncludes(namesIn(dir).join(), "runs.db-driver");
    const other = ["run", "sea.ts", "--run-id", "other", ...SQLITE];
    assertEquals((await commandLine(other, {}, dir)).code, 0);
    assertStringIncludes(namesIn(dir).join(), "runs.db-driver");
    const [program, ...words] = [...PROGRAM, "resume", "sea.ts", ...SQLITE];
    const second = new Deno.Command(program!, {
      args: words,
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    let said = "";
    for await (const text of second.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      if (!said.includes("waiting until")) continue;
      second.kill("SIGKILL");
    }
    await second.status;
    assertMatch(said, /^waiting until /);
    await killed(child);
    const { code, err } = await commandLine(["resume", "sea.ts", ...SQLITE], {}, dir);
    assertEquals(code, 0, err);
    assertEquals(err.includes("waiting"), false, err);
  });
});
