import { assert, assertEquals, assertMatch } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const ANSWER = "final_answer: I have read 6 pages.";

interface Instance {
  readonly url: string;
  kill(): Promise<void>;
}

/**
 * Starts the example as its first line says, on a free port; its KV lies in `denoDir`. The schedule is left out, as it
 * would come in between at the turn of a minute: `/resume` does what it does.
 */
async function startInstance(denoDir: string): Promise<Instance> {
  const source = await Deno.readTextFile(new URL("examples/deno_deploy.ts", ROOT));
  const [run, ...args] = source.split("\n")[0]!.replace("// deno ", "").split(" ");
  assertEquals([run, args.at(-1)], ["run", "examples/deno_deploy.ts"]);
  const flags = args.filter((arg) => arg !== "--unstable-cron");
  assertEquals(flags.length, args.length - 1);
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...flags.map((arg) => arg.replace("8000", "0")), "0"],
    cwd: ROOT,
    env: { NO_COLOR: "1", DENO_DIR: denoDir },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stdout = process.stdout.cancel();
  const said = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/Listening on \S+:\d+\//.test(text)) {
    const { value, done } = await said.read();
    if (done) throw new Error(`the example ended: ${text}`);
    text += value;
  }
  const port = /Listening on \S+:(\d+)\//.exec(text)![1];
  let killed = false;
  return {
    url: `http://127.0.0.1:${port}`,
    async kill() {
      if (killed) return;
      killed = true;
      process.kill("SIGKILL");
      await said.cancel();
      await Promise.all([stdout, process.status]);
    },
  };
}

async function withInstances(count: number, body: (...given: Instance[]) => Promise<void>) {
  const denoDir = await Deno.makeTempDir();
  const instances: Instance[] = [];
  try {
    for (let i = 0; i < count; i++) instances.push(await startInstance(denoDir));
    await body(...instances);
  } finally {
    await Promise.all(instances.map((instance) => instance.kill()));
    await Deno.remove(denoDir, { recursive: true });
  }
}

async function get(instance: Instance, path: string) {
  return await (await fetch(`${instance.url}${path}`)).json();
}

async function post(instance: Instance, path: string) {
  return await (await fetch(`${instance.url}${path}`, { method: "POST" })).json();
}

/** Leaves the processor to the instances between two questions. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}

/** Goes on with a run once nobody has it: what became of it. */
async function resumed(instance: Instance, runId: string): Promise<string> {
  for (;;) {
    const { [runId]: outcome } = await post(instance, "/resume");
    if (outcome !== undefined) return outcome;
    await pause();
  }
}

/** Goes on with a run until it has ended, in no more rounds than it has steps. */
async function finish(instance: Instance, runId: string): Promise<void> {
  for (let round = 0; round < 7; round++) {
    if ((await get(instance, `/runs/${runId}`)).answer !== null) break;
    const outcome = await resumed(instance, runId);
    assert(["suspended", ANSWER].includes(outcome), `it came to ${outcome}`);
  }
  const whole = { steps: 7, answer: "I have read 6 pages." };
  assertEquals(await get(instance, `/runs/${runId}`), whole);
  assertEquals(await post(instance, "/resume"), {});
}

/** Asks until a run has a step. */
async function untilItStands(instance: Instance, runId: string): Promise<void> {
  while (((await get(instance, `/runs/${runId}`)).steps ?? 0) < 1) await pause();
}

Deno.test("deno_deploy.ts goes on with what a deadline or the death of an instance left, in one of several instances", async (test) => {
  await withInstances(2, async (first, second) => {
    await test.step("it suspends a run at its deadline", async () => {
      assertEquals(await post(first, "/runs/whales"), { outcome: "suspended" });
      const { steps, answer } = await get(second, "/runs/whales");
      assert(steps > 0 && steps < 7, `it stands after ${steps} steps`);
      assertEquals(answer, null);
      assertEquals(await post(second, "/runs/whales"), { outcome: "it was started before" });
    });
    await test.step("one of two instances that try that run goes on with it", async () => {
      const outcomes = await Promise.all([post(first, "/resume"), post(second, "/resume")]);
      const texts = outcomes.map((it): string => it.whales ?? "another instance has it");
      const [driven, ...others] = texts.filter((text) => !text.startsWith("another instance"));
      assert(driven === "suspended" || driven === ANSWER, `they came to ${texts}`);
      assertEquals(others, []);
      await finish(second, "whales");
    });
    await test.step("it knows no other run, and no name that is none", async () => {
      assertMatch((await get(second, "/runs/nobody")).error, /no such run/);
      const elsewhere = await fetch(`${second.url}/runs/Not_an_id`, { method: "POST" });
      assertEquals([elsewhere.status, await elsewhere.text()], [404, "a run id is missing\n"]);
    });
    await test.step("an instance goes on with the run of one that was killed", async () => {
      const answer = post(first, "/runs/killed").then(() => "answered", () => "cut off");
      await untilItStands(second, "killed");
      await first.kill();
      assertEquals(await answer, "cut off");
      assertEquals((await get(second, "/runs/killed")).answer, null);
      await finish(second, "killed");
    });
  });
});
