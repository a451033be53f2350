import type { RunStore } from "../../ports/mod.ts";
import type { AgentDefinition, RunOptions, RunRequest } from "../../session/mod.ts";
import {
  functionShape,
  objectShape,
  optionalField,
  PortContractError,
  requireShape,
  type Shape,
  shapeFault,
} from "../../types/mod.ts";

/** What `exploreCrashes` needs: how to make everything that a process of the run has. */
export interface CrashSubject<World = undefined, Store extends RunStore = RunStore> {
  /** Makes an empty store: once for the run that nothing stops, and once for each crash. */
  readonly makeStore: () => Store | Promise<Store>;
  /**
   * Makes the agent over a store, afresh for each process, as your program does when it starts. The model must answer
   * by what it is asked, not by how often: a resumed process asks it for the rest only.
   */
  readonly agent: (store: RunStore, world: World) => AgentDefinition;
  /** Makes the request, afresh for each process, with the same settings each time. */
  readonly request: (world: World) => RunRequest;
  /**
   * Makes what the tools act on, empty: once for the run that nothing stops, and once for each crash. It survives the
   * crash, as a database or a mailbox does. Absent: the tools act on nothing that has to be made.
   */
  readonly makeWorld?: () => World | Promise<World>;
  /**
   * What happened to the world, one text for each side effect: it is held against what happens without a crash. Absent:
   * each execution of an action counts as one that may happen once, unless the executor says that it is replayable.
   */
  readonly effects?: (world: World) => readonly string[] | Promise<readonly string[]>;
  /**
   * Opens what a store kept, as after the death of its process. Absent: the run is released, which frees its lock, and
   * the store is used again.
   */
  readonly reopen?: (store: Store) => Store | Promise<Store>;
  /** Closes a store and removes what it kept. Absent: nothing is done. */
  readonly dispose?: (store: Store) => void | Promise<void>;
  /** How the run is driven. The callbacks are called in each process. */
  readonly options?: Pick<
    RunOptions,
    "approveAction" | "resolveUnknownAction" | "recordInputs" | "now"
  >;
  /**
   * How many crashes a run may have: with 2 each resume is crashed at each of its own moments as well.
   *
   * @default {1}
   */
  readonly depth?: 1 | 2;
}

/** How the run is driven: it looks at what is in it itself. */
const drivingShape: Shape<NonNullable<CrashSubject["options"]>> = (value) =>
  typeof value === "object" && value !== null
    ? undefined
    : shapeFault(value, "it must be an object");

const depthShape: Shape<1 | 2> = (value) =>
  value === 1 || value === 2 ? undefined : shapeFault(value, "it must be 1 or 2");

/** Refuses a subject that is not as it must be. */
export function checkSubject<World, Store extends RunStore>(
  subject: CrashSubject<World, Store>,
): void {
  requireShape<CrashSubject<World, Store>>(
    "subject",
    subject,
    objectShape({
      makeStore: functionShape(),
      agent: functionShape(),
      request: functionShape(),
      makeWorld: optionalField(functionShape()),
      effects: optionalField(functionShape()),
      reopen: optionalField(functionShape()),
      dispose: optionalField(functionShape()),
      options: optionalField(drivingShape),
      depth: optionalField(depthShape),
    }),
  );
}

/** Refuses what the subject cannot have meant to make, since it has not what each of its kind has. */
export function checkMade<T>(maker: string, made: T, names: readonly string[]): T {
  const missing = names.find((name) => Object(made)[name] === undefined);
  if (missing === undefined) return made;
  throw new PortContractError(`subject.${maker}`, `$.${missing}`, "it is missing");
}
