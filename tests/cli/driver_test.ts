import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inTempFolder, namesIn } from "../stores/drivers/temp_folder.ts";
import { commandLine, PROGRAM } from "./command_line.ts";

const ROOT = new URL("../../", import.meta.url).href;

/** A module whose agent does `wait` in its one action. */
const moduleText = (wait: string): string => `
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
  store: sqliteStore({ path: import.meta.dirname + "/own.db", leaseMs: 2_000 }),
});
export const request = defineRun({
  runId: "sea",
  budget: { maxSteps: 5, maxModelCalls: 6, maxPromptChars: 999, maxConsecutiveFailures: 1 },
  executor: {
    async execute() {
      ${wait}
      return { status: "executed", failed: false, observation: "did it", observationSynthetic: false, completed: false, truncatedChars: 0 };
    },
    parameters: () => ({}),
  },
  context: { runLevel: [], goalLevel: [textMessage("user", "Go.")] },
  cancelGraceMs: 0,
});
`;

/** Where `WAIT` is set it says that it waits, and waits for ever. */
const MODULE = moduleText(`
if (Deno.env.get("WAIT")) {
  console.error("it waits");
  await new Promise(() => {});
}`);

/** Starts a run that waits in its action, and gives its process once it does. */
async function waiting(
  module: string,
  options: readonly string[] = [],
): Promise<Deno.ChildProcess> {
  const [program, ...words] = [...PROGRAM, "run", module, ...options];
  const child = new Deno.Command(program!, {
    args: words,
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

/** A folder with a module. */
interface ModuleFolder {
  readonly dir: string;
  readonly module: string;
  /** The words that name a database of the folder in the place of the agent's own. */
  readonly sqlite: readonly string[];
}

async function withModule(body: (folder: ModuleFolder) => Promise<void>): Promise<void> {
  await inTempFolder(async (dir) => {
    const module = `${dir}/sea.ts`;
    await Deno.writeTextFile(module, MODULE);
    await body({ dir, module, sqlite: ["--store", `sqlite:${dir}/runs.db`] });
  });
}

Deno.test("resume goes on at once with a run in SQLite whose process was killed", async () => {
  await withModule(async ({ dir, module, sqlite }) => {
    await killed(await waiting(module, sqlite));
    const { code, out, err } = await commandLine("resume", module, ...sqlite);
    assertEquals(code, 0, err);
    assertEquals(out, "done\n");
    assertEquals(err.includes("waiting"), false, err);
    assertEquals(namesIn(dir), ["runs.db", "sea.ts"]);
  });
});

Deno.test("resume waits for the lease of a process that was killed", async () => {
  await withModule(async ({ module }) => {
    await killed(await waiting(module));
    const { code, err } = await commandLine("resume", module);
    assertEquals(code, 0, err);
    assertMatch(err, /^waiting until /);
  });
});

Deno.test("resume waits once for the lease of a driver that lives, and then says that it does", async () => {
  await withModule(async ({ dir, module }) => {
    const waits = Promise.withResolvers<Event>();
    addEventListener("it waits", waits.resolve, { once: true });
    const driver = moduleText(`
await new Promise((resolve) => {
  addEventListener("it goes on", resolve, { once: true });
  dispatchEvent(new Event("it waits"));
});`);
    await Deno.writeTextFile(`${dir}/driver.ts`, driver);
    const driven = commandLine("run", `${dir}/driver.ts`);
    await waits.promise;
    const refused = await commandLine("resume", module);
    assertEquals([refused.code, refused.out], [1, ""]);
    assertMatch(
      refused.err,
      /^waiting until 20\S+Z: .* run "sea" .*\(--take-over does not wait\)\nerror: .*its lease lasts until 20\S+Z\n$/,
    );
    dispatchEvent(new Event("it goes on"));
    assertEquals((await driven).code, 0);
  });
});

Deno.test("resume --take-over takes a run from a process, which stops at its next write", async () => {
  await withModule(async ({ dir, module }) => {
    const child = await waiting(module);
    const taken = await commandLine("resume", module, "--take-over");
    assertEquals(taken.code, 0, taken.err);
    assertEquals(taken.out, "done\n");
    assertEquals(taken.err.includes("waiting"), false, taken.err);
    child.kill("SIGINT");
    assertEquals((await child.status).code, 1);
    assertMatch((await commandLine("verify", "sea", "--store", `sqlite:${dir}/own.db`)).out, /^ok/);
  });
});

Deno.test("a second process does not take the leases of one that drives a run in the same file", async () => {
  await withModule(async ({ dir, module, sqlite }) => {
    const child = await waiting(module, sqlite);
    assertStringIncludes(namesIn(dir).join(), "runs.db-driver");
    assertEquals((await commandLine("run", module, "--run-id", "other", ...sqlite)).code, 0);
    assertStringIncludes(namesIn(dir).join(), "runs.db-driver");
    const [program, ...words] = [...PROGRAM, "resume", module, ...sqlite];
    const second = new Deno.Command(program!, {
      args: words,
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
    const { code, err } = await commandLine("resume", module, ...sqlite);
    assertEquals(code, 0, err);
    assertEquals(err.includes("waiting"), false, err);
  });
});
