import { assert, assertEquals, assertRejects } from "@std/assert";
import { defineRun, type ReplayPolicy, resume, RunLockedError } from "../../../mod.ts";
import { contextAt, readLog, type RunLog, verifyLog } from "../../../session/mod.ts";
import { CHILD, leasedRuns, type Runs } from "./leased_runs.ts";

/** What a killed process left. */
interface Left {
  readonly path: string;
  readonly done: string;
}

/** Gives what another process leaves that is killed in its child's second action; its leases are valid. */
async function withKilled(replay: ReplayPolicy, body: (left: Left) => Promise<void>) {
  const dir = await Deno.makeTempDir();
  try {
    const left = { path: `${dir}/runs.db`, done: `${dir}/done` };
    const place = (name: string) => decodeURI(new URL(name, import.meta.url).pathname);
    const driver = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--no-check", "--no-lock", "-A"],
        ...["--config", place("../../../deno.json"), place("leased_runs.ts")],
        ...[left.path, left.done, replay],
      ],
      stdout: "piped",
    }).spawn();
    for await (const _ of driver.stdout) driver.kill("SIGKILL");
    assertEquals((await driver.status).signal, "SIGKILL");
    await body(left);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** The runs as a fresh process has them. */
const runsOf = ({ path, done }: Left, replay?: ReplayPolicy) =>
  leasedRuns(path, (word) => Deno.writeTextFileSync(done, `${word}\n`, { append: true }), replay);

async function soundLog({ agent, request }: Runs): Promise<RunLog> {
  const lines = await agent.store.readRun(request.runId) ?? [];
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  return readLog(lines);
}

Deno.test("a parent that is resumed takes its child over from a process that was killed, whose lease on it is valid, and nothing is done twice", async () => {
  await withKilled("replayable", async (left) => {
    const { boss, child } = runsOf(left);
    await assertRejects(() => resume(boss.agent, boss.request), RunLockedError);
    const { parent: _, ...alone } = child.request;
    const orphan = defineRun({ ...alone, cancelGraceMs: child.request.cancelGraceMs });
    await assertRejects(() => resume(child.agent, orphan), RunLockedError);
    assertEquals((await soundLog(child)).open?.awaits, "action_result");
    const { answer } = await resume(boss.agent, boss.request, { takeOver: true });
    assertEquals(answer, "done");
    assertEquals((await soundLog(boss)).steps[0]?.actions[0]?.observation, "both");
    const { steps, finished } = await soundLog(child);
    assertEquals(finished?.answer, "both");
    assertEquals(steps.map(({ actions }) => actions[0]?.attempts), [1, 2, undefined]);
    assertEquals((await Deno.readTextFile(left.done)).split("\n"), ["once", "again", "again", ""]);
  });
});

Deno.test("a tool that may not be replayed leaves its action unknown and its run as it stands, which is resumed by itself", async () => {
  await withKilled("never", async (left) => {
    const { boss, child } = runsOf(left, "never");
    const before = await soundLog(child);
    await resume(boss.agent, boss.request, { takeOver: true });
    assertEquals((await soundLog(boss)).steps[0]?.actions[0]?.status, "unknown");
    assertEquals((await soundLog(child)).logHead, before.logHead);
    const { answer } = await resume(child.agent, child.request);
    assertEquals(answer, "both");
    assertEquals(contextAt(await soundLog(child)).derivedFrom.runId, CHILD);
  });
});
