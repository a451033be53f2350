import type { ModelPort } from "../../ports/mod.ts";
import {
  countShape,
  functionShape,
  objectShape,
  optionalField,
  requireShape,
} from "../../types/mod.ts";

/** How the suite gets at the model under test. */
export interface ModelContractOptions<M extends ModelPort> {
  /**
   * Makes a model that answers every call. Called once or twice for each case; cases may run one after the other or at
   * the same time.
   */
  readonly makeModel: () => M | Promise<M>;
  /** Makes a model whose calls never get an answer. Absent: it cannot be done, and those cases are left out. */
  readonly makeSilentModel?: () => M | Promise<M>;
  /** Makes a model whose calls fail. Absent: it cannot be done, and that case is left out. */
  readonly makeFailingModel?: () => M | Promise<M>;
  /**
   * What the model answers to a prompt of one `user` message. Absent: nobody knows, and the case of calls at the same
   * time is left out.
   */
  readonly expectedText?: (prompt: string) => string;
  /**
   * How long a call may take to settle after an abort, in milliseconds. The default is that of the cancel grace
   * of a run.
   *
   * @default {5000}
   */
  readonly graceMs?: number;
  /** Closes a model of which the suite needs no more. Default: nothing is done. */
  readonly dispose?: (model: M) => void | Promise<void>;
}

/** Refuses options that are not as they must be. */
export function checkModelOptions<M extends ModelPort>(options: ModelContractOptions<M>): void {
  requireShape<ModelContractOptions<M>>(
    "options",
    options,
    objectShape({
      makeModel: functionShape(),
      makeSilentModel: optionalField(functionShape()),
      makeFailingModel: optionalField(functionShape()),
      expectedText: optionalField(functionShape()),
      graceMs: optionalField(countShape),
      dispose: optionalField(functionShape()),
    }),
  );
}
