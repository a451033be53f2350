import type { Budget, RunCounters, Usage } from "../budget.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import { amountShape, countShape, wholeNumberShape } from "./scalar_shapes.ts";
import { type Shape, shapeFault } from "./shape.ts";

/** The shape of a {@link Budget}. */
export const budgetShape: Shape<Budget> = objectShape({
  maxSteps: countShape,
  maxModelCalls: countShape,
  maxPromptChars: countShape,
  maxConsecutiveFailures: wholeNumberShape(1),
  maxInputTokens: optionalField(countShape),
  maxTotalTokens: optionalField(countShape),
  maxActiveMs: optionalField(countShape),
  maxIdenticalActions: optionalField(wholeNumberShape(1)),
  maxRepeatedCycle: optionalField(wholeNumberShape(2)),
  maxRejectedActions: optionalField(wholeNumberShape(1)),
});

/** So few tokens that no sum of them is too large to be a number. */
const tokensShape: Shape<number> = (value, leniency) =>
  typeof value === "number" && value > Number.MAX_SAFE_INTEGER
    ? shapeFault(value, `it must be ${Number.MAX_SAFE_INTEGER} or less`)
    : amountShape(value, leniency);

/** The shape of a {@link Usage}. */
export const usageShape: Shape<Usage> = objectShape({
  inputTokens: optionalField(tokensShape),
  outputTokens: optionalField(tokensShape),
  cachedInputTokens: optionalField(tokensShape),
  cacheWriteTokens: optionalField(tokensShape),
  reasoningTokens: optionalField(tokensShape),
});

/** The shape of {@link RunCounters}. */
export const runCountersShape: Shape<RunCounters> = objectShape({
  steps: countShape,
  modelCalls: countShape,
  withdrawnCalls: countShape,
  totalTokens: amountShape,
  largestPromptChars: countShape,
});
