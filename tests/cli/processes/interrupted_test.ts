import { assertEquals, assertMatch } from "@std/assert";
import type { RunLog } from "../../../session/mod.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { type AgentProject, agentProject } from "./agent_project.ts";
import { type GatedServer, gatedServer, type Moment, PHASES } from "./gated_server.ts";

/** What happens to a run: a signal at a moment. */
type Interruption = readonly [signal: "SIGINT" | "SIGTERM", moment: Moment];

/** Every moment of a run of five calls, by either signal. */
const ALL: readonly Interruption[] = Array.from(
  { length: 5 },
  (_, call) => PHASES.map((phase) => ({ call, phase })),
).flat().flatMap((moment) => [["SIGINT", moment], ["SIGTERM", moment]] as const);

const SAMPLE: readonly Interruption[] = [
  ["SIGTERM", { call: 0, phase: "asked" }],
  ["SIGINT", { call: 2, phase: "half" }],
  ["SIGTERM", { call: 4, phase: "sent" }],
];

/** What of a run must be as if nothing had been. */
function essence({ steps, finished }: RunLog): unknown {
  return {
    steps: steps.map(({ outcome, promptDigest, historyText, actions }) => ({
      outcome,
      promptDigest,
      historyText,
      actions: actions.map(({ action, status, observation }) => ({ action, status, observation })),
    })),
    stopReason: finished?.stopReason,
    answer: finished?.answer,
  };
}

async function undisturbed(): Promise<unknown> {
  await using server = gatedServer();
  await using project = await agentProject(server.address);
  const { code, out, err } = await project.drive("run");
  assertEquals([code, out], [0, "It imports @polyloop/polyloop.\n"], err);
  return essence(await project.log());
}

/** Runs a command, and interrupts it at a moment if it comes to that; tells what it exited with. */
async function interrupted(
  project: AgentProject,
  server: GatedServer,
  verb: "run" | "resume",
  moment: Moment,
  signal: Deno.Signal,
): Promise<number> {
  const reached = server.stopAt(moment);
  const process = project.start(verb);
  const gate = await Promise.race([reached, process.ended]);
  if ("goOn" in gate) {
    await process.interrupt(signal);
    gate.goOn();
  }
  const { code, err } = await process.ended;
  if (code !== 0) assertMatch(err, /\nsuspended: go on with: resume agent\.ts\n/);
  return code;
}

for (const [signal, moment] of IS_WHOLE ? ALL : SAMPLE) {
  const { call, phase } = moment;
  Deno.test(`a run that gets ${signal} at call ${call} (${phase}), and again, ends as if nothing had been`, async () => {
    await using server = gatedServer();
    await using project = await agentProject(server.address);
    await interrupted(project, server, "run", moment, signal);
    await interrupted(project, server, "resume", { call: 0, phase }, signal);
    const { code, out, err } = await project.drive("resume");
    assertEquals([code, out], [0, "It imports @polyloop/polyloop.\n"], err);
    const log = await project.log();
    assertEquals(essence(log), await EXPECTED());
    assertEquals((await project.read("verify", "imports-1")).code, 0);
  });
}

let expected: Promise<unknown> | undefined;

/** What an undisturbed run comes to; it is made once. */
const EXPECTED = (): Promise<unknown> => expected ??= undisturbed();
