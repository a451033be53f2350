import { advance, type Position } from "../../logic/_recovery/mod.ts";
import { frameRecords } from "../../logic/serialization/log_codec.ts";
import type { RunStore } from "../../ports/mod.ts";
import type { LogEntry, LogRecord } from "../../types/mod.ts";
import type { Interrupt } from "./interrupt.ts";

/** What an entry is for: its store method, and with it whether the write is a barrier. */
type EntryKind = "start" | "intent" | "outcome" | "finish";

type Write = (store: RunStore, runId: string, entry: LogEntry) => Promise<void>;

const WRITES: Readonly<Record<EntryKind, Write>> = {
  start: (store, runId, entry) => store.startRun(runId, entry),
  intent: (store, runId, entry) => store.writeIntent(runId, entry),
  outcome: (store, runId, entry) => store.writeOutcome(runId, entry),
  finish: (store, runId, entry) => store.finishRun(runId, entry),
};

/** A run's log as it is written: records gather until they are flushed, as one entry. */
export class Journal {
  readonly #store: RunStore;
  readonly #interrupt: Interrupt;
  #position: Position;
  #pending: LogRecord[] = [];
  #seq: number;
  #head: string;
  #held = false;

  /** Begins behind entry `seq - 1`, whose hash is `head` (for entry 0: the digest of the run id). */
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
    this.#position = advance(this.#position, record, this.#seq);
    this.#pending.push(record);
  }

  /** Writes what has gathered as one entry; nothing if nothing has. What a write failed for is not tried again. */
  async flush(kind: EntryKind): Promise<void> {
    if (this.#pending.length === 0) return;
    const { runId } = this.#position;
    const entry = frameRecords(this.#seq, this.#head, this.#pending);
    this.#pending = [];
    await this.#interrupt.stored(runId, "write", () => WRITES[kind](this.#store, runId, entry));
    this.#seq += 1;
    this.#head = entry.hash;
    this.#held = true;
  }

  /** Lets go of the run, if it was ever held. */
  async release(): Promise<void> {
    const { runId } = this.#position;
    if (!this.#held) return;
    await this.#interrupt.stored(runId, "write", () => this.#store.releaseRun(runId));
  }
}
