import type { ContextPolicy } from "../../../mod.ts";
import type { Script, ScriptedAction, ScriptedStep } from "./script.ts";

const never: ScriptedAction = { replay: "never" };
const replayable: ScriptedAction = { replay: "replayable" };
const rejected: ScriptedAction = {
  replay: "replayable",
  outcome: { status: "not_executed", observation: "no such tool", observationSynthetic: true },
};
const act = (...actions: ScriptedAction[]): ScriptedStep => ({ actions });
const done: ScriptedStep = { answer: { text: "done 🌊 \u2028" } };

/** Has a result that is long enough to be left out. */
const long: ScriptedAction = { ...replayable, outcome: { observation: "z".repeat(90) } };

/** All three stages, one after the other. */
const ALL_STAGES: ContextPolicy = {
  triggerChars: 400,
  targetChars: 250,
  keepLastSteps: 1,
  stages: [
    { kind: "elide_observations", minChars: 40, notice: "({chars} left out)" },
    {
      kind: "summarise",
      instruction: "Sum up.",
      notice: "{summary} ({from}-{to})",
      maxSummaryChars: 60,
    },
    { kind: "drop_steps", notice: "({from}-{to} left out)" },
  ],
};

/** The scripts, each for something that a run can do. */
export const SCRIPTS: readonly Script[] = [
  { name: "answer", steps: [done] },
  { name: "never", steps: [act(never), act(never), done] },
  {
    name: "replayable",
    steps: [act(replayable), act({ ...replayable, completes: true })],
    modelReplay: "replayable",
  },
  {
    name: "several",
    steps: [act(never, rejected, replayable), act(replayable, never), done],
    native: true,
  },
  {
    name: "approvals",
    steps: [act(never, { ...never, denied: "not this one" }, never), act(replayable), done],
    native: true,
    approves: true,
  },
  {
    name: "hidden",
    steps: [act({ ...replayable, hidden: true }, never, { ...never, hidden: true }), done],
    native: true,
    approves: true,
  },
  { name: "truthful", steps: [act(never), act(never), done], resolver: "truthful" },
  { name: "unsure", steps: [act(never), act(replayable), done], resolver: "unknown" },
  {
    name: "failing",
    steps: [
      act({ ...never, outcome: { failed: true, observation: "exit 1" } }),
      act({ ...never, outcome: "throws" }),
      act({ ...replayable, outcome: { status: "environment_failed", effect: "unknown" } }),
    ],
    budget: { maxConsecutiveFailures: 2 },
  },
  {
    name: "invalid",
    steps: [{ invalid: "Decide." }, act(replayable), { invalid: "Decide!" }, { invalid: "Well?" }],
    budget: { maxConsecutiveFailures: 2 },
  },
  {
    name: "model_fails",
    steps: [{ fails: "503" }, act(never), { fails: "429" }, done],
    modelReplay: "replayable",
    budget: { maxModelCalls: 5 },
    replaysAreDear: true,
  },
  {
    name: "overflow",
    steps: [act({ ...replayable, outcome: { observation: "x".repeat(400) } })],
    budget: { maxPromptChars: 1_000 },
  },
  { name: "repeated", steps: [act(replayable)], budget: { maxIdenticalActions: 3 } },
  {
    name: "completed",
    steps: [act(never), act({ ...never, completes: true, outcome: { completed: true } })],
  },
  {
    name: "policy_now_replayable",
    steps: [act({ ...never, laterReplay: "replayable" }), act(replayable), done],
  },
  {
    name: "policy_now_never",
    steps: [act({ ...replayable, laterReplay: "never" }), act(never), done],
  },
  {
    name: "suspended",
    steps: [act(replayable, never), act(never), done],
    native: true,
    onAbort: "suspend",
    fault: { point: "execute-2", kind: "late-abort" },
    modelReplay: "replayable",
  },
  {
    name: "cancelled",
    steps: [act(never), act(never), done],
    fault: { point: "model-2", kind: "abort" },
  },
  {
    name: "withdrawn",
    steps: [act(never), act(replayable), done],
    onAbort: "suspend",
    fault: { point: "model-2", kind: "abort" },
    cutsModel: true,
  },
  {
    name: "withdrawn_replayable",
    steps: [act(replayable), done],
    onAbort: "suspend",
    fault: { point: "model-2", kind: "abort" },
    cutsModel: true,
    modelReplay: "replayable",
  },
  {
    name: "not_begun",
    steps: [act(never), done],
    onAbort: "suspend",
    fault: { point: "intent-2", kind: "late-abort" },
  },
  { name: "outage", steps: [act(never), act(never), done], outageAt: 1 },
  {
    name: "at_once",
    steps: [act({ ...replayable, slow: true }, never), act(replayable, replayable), done],
    native: true,
    atOnce: 2,
  },
  {
    name: "three_at_once",
    steps: [act({ ...never, slow: true }, replayable, { ...replayable, slow: true }, never), done],
    native: true,
    atOnce: 3,
  },
  {
    name: "at_once_denied",
    steps: [act(replayable, { ...never, denied: "not this one" }, replayable), done],
    native: true,
    approves: true,
    atOnce: 3,
  },
  {
    name: "at_once_broken",
    steps: [
      act({ ...replayable, slow: true }, { ...replayable, outcome: "throws" }, never),
      act(replayable, { ...replayable, completes: true }, never),
    ],
    native: true,
    atOnce: 2,
  },
  {
    name: "at_once_truthful",
    steps: [act({ ...never, slow: true }, never, replayable), done],
    native: true,
    resolver: "truthful",
    atOnce: 3,
  },
  {
    name: "at_once_suspended",
    steps: [act(never, { ...never, slow: true }), act(never, never), done],
    native: true,
    onAbort: "suspend",
    fault: { point: "execute-1", kind: "abort" },
    atOnce: 2,
  },
  {
    name: "edited",
    steps: [...Array<ScriptedStep>(7).fill(act(long)), done],
    modelReplay: "replayable",
    policy: ALL_STAGES,
  },
  {
    name: "edited_never",
    steps: [...Array<ScriptedStep>(4).fill(act(long)), done],
    policy: { ...ALL_STAGES, stages: ALL_STAGES.stages.slice(1) },
  },
  {
    name: "edited_native",
    steps: [...Array<ScriptedStep>(4).fill(act(long, long)), done],
    native: true,
    modelReplay: "replayable",
    policy: { ...ALL_STAGES, triggerChars: 1_000, targetChars: 800 },
  },
  {
    name: "too_long",
    steps: [...Array<ScriptedStep>(6).fill(act(long)), done],
    modelReplay: "replayable",
    policy: { ...ALL_STAGES, triggerChars: 9_000, targetChars: 8_000 },
    refusesOver: 700,
  },
  {
    name: "too_long_again",
    steps: [act(long), act({ ...long, outcome: { observation: "z".repeat(900) } }), done],
    modelReplay: "replayable",
    policy: { ...ALL_STAGES, triggerChars: 9_000, targetChars: 8_000 },
    refusesOver: 700,
  },
  {
    name: "delegated",
    steps: [
      act({
        ...replayable,
        child: {
          name: "child",
          steps: [act(never), act(replayable, never), done],
          modelReplay: "replayable",
        },
      }),
      act(never),
      done,
    ],
    modelReplay: "replayable",
  },
  {
    name: "delegated_native",
    steps: [
      act(never, {
        ...replayable,
        slow: true,
        child: {
          name: "child",
          steps: [act(replayable, never), { invalid: "Decide." }, done],
          native: true,
          atOnce: 2,
          modelReplay: "replayable",
        },
      }),
      done,
    ],
    native: true,
    atOnce: 2,
    modelReplay: "replayable",
  },
  { name: "sink", steps: [act(never), done], sink: true },
  { name: "unread", steps: [act(replayable), act(never), done], interpreterThrowsAt: 1 },
  {
    name: "large",
    steps: [act({ ...never, outcome: { observation: "y".repeat(61_000) } }), done],
  },
  {
    name: "budgets",
    steps: [act(replayable), act(never), act(replayable)],
    modelReplay: "replayable",
    budget: { maxModelCalls: 3, maxTotalTokens: 40, maxSteps: 3 },
    replaysAreDear: true,
  },
];

/** A script made from a seed: the same seed, the same script. */
export function generatedScript(seed: number): Script {
  let state = seed * 2_654_435_761 >>> 0 || 1;
  const below = (limit: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
  const action = (): ScriptedAction =>
    [never, replayable, rejected, { ...never, outcome: { failed: true } }][below(4)]!;
  const native = below(2) === 1;
  const steps: ScriptedStep[] = Array.from({ length: 4 + below(4) }, () => {
    const kind = below(8);
    if (kind === 0) return { invalid: "Decide." };
    if (kind === 1) return { fails: "503" };
    return { actions: Array.from({ length: native ? 1 + below(3) : 1 }, action) };
  });
  return {
    name: `seed_${seed}`,
    steps: [...steps, done],
    native,
    modelReplay: below(2) === 1 ? "replayable" : "never",
    approves: below(3) === 0,
    ...(below(3) === 0 && { resolver: "truthful" }),
  };
}

/** The script of a name. */
export function scriptNamed(name: string): Script {
  const seed = /^seed_(\d+)$/.exec(name)?.[1];
  const script = seed === undefined
    ? SCRIPTS.find((script) => script.name === name)
    : generatedScript(Number(seed));
  if (script === undefined) throw new Error(`there is no script "${name}"`);
  return script;
}
