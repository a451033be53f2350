import { advance, type Position, runsBeside } from "../../logic/_recovery/mod.ts";
import { frameRecords } from "../../logic/serialization/log_codec.ts";
import type { RunStore } from "../../ports/mod.ts";
import { errorInfo, type LogEntry, type LogRecord } from "../../types/mod.ts";
import type { Interrupt } from "./interrupt.ts";
import { assertKernel, KernelFaultError } from "./kernel_fault.ts";

type Write = (store: RunStore, runId: string, entry: LogEntry) => Promise<void>;

/** A write that has reached the disk before the next thing happens. */
interface BarrierWrite {
  readonly isBarrier: true;
  readonly write: Write;
}

interface OutcomeWrite {
  readonly isBarrier: false;
  readonly write: Write;
}

/** How an entry is written that ends in a record of a kind: an intent, the start and the finish are barriers. */
export type EntryWrites = {
  readonly [Type in LogRecord["type"]]: Type extends `${string}_intent` | `run_${string}`
    ? BarrierWrite
    : OutcomeWrite;
};

const intent: BarrierWrite = {
  isBarrier: true,
  write: (store, runId, entry) => store.writeIntent(runId, entry),
};
const outcome: OutcomeWrite = {
  isBarrier: false,
  write: (store, runId, entry) => store.writeOutcome(runId, entry),
};

/** The store's method for an entry, by its last record. */
export const ENTRY_WRITES: EntryWrites = {
  run_started: {
    isBarrier: true,
    write: (store, runId, entry) => store.startRun(runId, entry),
  },
  context_edit: outcome,
  context_edit_failed: outcome,
  model_call_intent: intent,
  model_call_withdrawn: outcome,
  model_reply: outcome,
  decision: outcome,
  action_intent: intent,
  action_withdrawn: outcome,
  action_result: outcome,
  step: outcome,
  run_finished: {
    isBarrier: true,
    write: (store, runId, entry) => store.finishRun(runId, entry),
  },
};

/**
 * A run's log as it is written: records gather until they are flushed, as one entry. Its last record says how: what
 * asks for a barrier ends its entry, and no entry with an intent can be written without one. Only the intents of
 * actions that run at once stand one after the other.
 */
export class Journal {
  readonly #store: RunStore;
  readonly #interrupt: Interrupt;
  #position: Position;
  #pending: LogRecord[] = [];
  #write: BarrierWrite | OutcomeWrite = outcome;
  #seq: number;
  #head: string;
  /** Whether the store holds the run for this driver. */
  #isHeld = false;
  /** Whether the run was to be let go of. */
  #isOver = false;

  /** Begins after entry `seq - 1`, whose hash is `head` (for entry 0: the digest of the run id). */
  constructor(
    store: RunStore,
    interrupt: Interrupt,
    position: Position,
    seq: number,
    head: string,
  ) {
    this.#store = store;
    this.#interrupt = interrupt;
    this.#position = position;
    this.#seq = seq;
    this.#head = head;
  }

  /** Where the run stands, gathered records included. */
  get position(): Position {
    return this.#position;
  }

  /** The hash of the last entry. */
  get head(): string {
    return this.#head;
  }

  /** Gathers a record for the next entry. */
  record(record: LogRecord): void {
    assertKernel(
      !this.#write.isBarrier || runsBeside(record, this.#pending.at(-1)),
      `Cannot gather a "${record.type}" record as what stands before it waits for its barrier`,
    );
    this.#position = this.#after(record);
    this.#pending.push(record);
    this.#write = ENTRY_WRITES[record.type];
  }

  /** What reads a log would refuse is a mistake of the kernel where it writes one. */
  #after(record: LogRecord): Position {
    try {
      return advance(this.#position, record, this.#seq);
    } catch (cause) {
      const { message } = errorInfo(cause);
      throw new KernelFaultError(`Cannot gather a "${record.type}" record: ${message}`, { cause });
    }
  }

  /** Writes what has gathered as one entry; nothing if nothing has. What a write failed for is not tried again. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const { runId } = this.#position;
    const entry = frameRecords(this.#seq, this.#head, this.#pending);
    const { write } = this.#write;
    this.#pending = [];
    this.#write = outcome;
    const task = { action: "write", runId, durability: "unknown" } as const;
    await this.#interrupt.stored(task, () => this.#hold(write(this.#store, runId, entry)));
    this.#seq += 1;
    this.#head = entry.hash;
  }

  /**
   * Takes the run, where the store has locks or leases, before anything is asked or done for it.
   *
   * @param takeOver Whether a lease of another driver is broken for it.
   */
  async claim(takeOver: boolean): Promise<void> {
    const { runId } = this.#position;
    const task = { action: "write", runId, durability: "none" } as const;
    await this.#interrupt.stored(task, async () => {
      if (takeOver) await this.#store.breakLease?.(runId);
      const claim = this.#store.claimRun?.(runId, this.#head);
      if (claim !== undefined) await this.#hold(claim);
    });
  }

  /** Lets go of the run, if it was ever held. */
  async release(): Promise<void> {
    this.#isOver = true;
    if (!this.#isHeld) return;
    const task = { action: "release", runId: this.#position.runId, durability: "unknown" } as const;
    await this.#interrupt.stored(task, () => this.#letGo());
  }

  /** Waits for what leaves the run held. Where it was given up and comes after all, the run is let go of again. */
  async #hold(work: Promise<void>): Promise<void> {
    await work;
    this.#isHeld = true;
    if (this.#isOver) await this.#letGo();
  }

  async #letGo(): Promise<void> {
    await this.#store.releaseRun(this.#position.runId);
  }
}
