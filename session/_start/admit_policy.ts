import {
  type Budget,
  type ContextPolicy,
  contextPolicyShape,
  type ContextStage,
  copyField,
  countCodePoints,
  deepFreeze,
  InvalidRequestError,
  messageSize,
  type RunInputs,
} from "../../types/mod.ts";

/** The names that a notice may have in braces, and those that it must have. */
const NAMES: Readonly<Record<ContextStage["kind"], readonly string[]>> = {
  elide_observations: ["step", "chars"],
  drop_steps: ["from", "to", "chars"],
  summarise: ["summary", "from", "to"],
};

/**
 * A policy, copied, with its defaults filled in. Throws an {@link InvalidRequestError} for one that cannot work.
 *
 * @param tools The names of the visible tools. Absent: nobody says which ones there are.
 */
export function admitPolicy(
  given: ContextPolicy,
  budget: Budget,
  tools: readonly string[] | undefined,
): ContextPolicy {
  const copy = copyField("contextPolicy", given, contextPolicyShape);
  const policy = { minReclaimChars: 0, keepFirstSteps: 0, pinnedTools: [], ...copy };
  const { triggerChars, targetChars, triggerTokens, minReclaimChars, stages } = policy;
  const { maxPromptChars, maxInputTokens } = budget;
  require(
    "triggerChars",
    triggerChars,
    triggerChars <= maxPromptChars,
    `it must be at most budget.maxPromptChars, ${maxPromptChars}`,
  );
  require(
    "targetChars",
    targetChars,
    targetChars < triggerChars,
    `it must be less than triggerChars, ${triggerChars}, so that there is room after an edit`,
  );
  if (triggerTokens !== undefined && maxInputTokens !== undefined) {
    require(
      "triggerTokens",
      triggerTokens,
      triggerTokens <= maxInputTokens,
      `it must be at most budget.maxInputTokens, ${maxInputTokens}`,
    );
  }
  require(
    "minReclaimChars",
    minReclaimChars,
    minReclaimChars < maxPromptChars,
    `it must be less than budget.maxPromptChars, ${maxPromptChars}, or no edit saves so much`,
  );
  if (tools !== undefined) checkPins(policy.pinnedTools, tools);
  const summaries = stages.filter(({ kind }) => kind === "summarise").length;
  require("stages", stages, summaries <= 1, "it must have one stage of the kind summarise at most");
  for (const [place, stage] of stages.entries()) {
    checkNotice(stage, `stages[${place}].`);
    checkSizes(stage, `stages[${place}].`, targetChars, maxPromptChars);
  }
  return deepFreeze(policy);
}

function checkPins(pinned: readonly string[], tools: readonly string[]): void {
  const unknown = pinned.find((name) => !tools.includes(name));
  const visible = tools.join(", ");
  require(
    "pinnedTools",
    unknown,
    unknown === undefined,
    `it must be one of the visible tools: ${visible}`,
  );
  require(
    "pinnedTools",
    pinned,
    tools.length === 0 || tools.some((name) => !pinned.includes(name)),
    `it must leave out one of the visible tools: ${visible}, or no step with an action is edited`,
  );
}

function checkNotice(stage: ContextStage, path: string): void {
  const names = NAMES[stage.kind];
  const { notice } = stage;
  const used = Array.from(notice.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const unknown = used.find((name) => !names.includes(name));
  const fields = names.map((name) => `{${name}}`).join(", ");
  require(
    `${path}notice`,
    notice,
    unknown === undefined,
    `it may have ${fields} in braces and nothing else`,
  );
  requireWords(`${path}notice`, notice);
  if (stage.kind !== "summarise") return;
  require(`${path}notice`, notice, used.includes("summary"), "it must have {summary}");
  requireWords(`${path}instruction`, stage.instruction);
}

/** Providers refuse a message that is blank. */
function requireWords(field: string, text: string): void {
  require(field, text, text.trim() !== "", "it must not be blank, as models are sent it");
}

function checkSizes(
  stage: ContextStage,
  path: string,
  targetChars: number,
  maxPromptChars: number,
): void {
  const { notice } = stage;
  const chars = countCodePoints(notice);
  switch (stage.kind) {
    case "elide_observations":
      require(
        `${path}minChars`,
        stage.minChars,
        stage.minChars < maxPromptChars,
        `it must be less than budget.maxPromptChars, ${maxPromptChars}, or no result is longer`,
      );
      return require(
        `${path}notice`,
        notice,
        chars <= stage.minChars,
        `it must not be longer than minChars, ${stage.minChars}`,
      );
    case "drop_steps":
      return require(
        `${path}notice`,
        notice,
        chars < targetChars,
        `it must be shorter than targetChars, ${targetChars}`,
      );
    case "summarise":
      return require(
        `${path}maxSummaryChars`,
        stage.maxSummaryChars,
        stage.maxSummaryChars + chars <= targetChars,
        `with the notice it must not be more than targetChars, ${targetChars}`,
      );
  }
}

/** The size of what stands before history, the tools aside. */
export function fixedChars(
  { context, injections }: Pick<RunInputs, "context" | "injections">,
): number {
  const messages = [...context.runLevel, ...context.goalLevel];
  const texts = Object.values(injections).flat().map(({ content }) => content);
  return messages.reduce((sum, message) => sum + messageSize(message), 0) +
    texts.reduce((sum, text) => sum + countCodePoints(text), 0);
}

/** Throws unless what can never be edited leaves room below the policy's target. */
export function requireRoom({ targetChars }: ContextPolicy, fixedChars: number): void {
  const detail =
    `it must be more than the ${fixedChars} characters of the context, the injections and the tools, which are never edited`;
  require("targetChars", targetChars, fixedChars < targetChars, detail);
}

function require(field: string, value: unknown, holds: boolean, detail: string): void {
  if (!holds) throw new InvalidRequestError(`contextPolicy.${field}`, value, detail);
}
