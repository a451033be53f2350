import type { LeaseClock } from "../../stores/drivers/lease_clock.ts";
import type { Medium, Snapshot, Survivor } from "./medium.ts";

/** The medium of a run, and beside it that of the run that a tool of it makes. A crash leaves any state of each. */
export function sideBySide(own: Medium, child: Medium): Medium {
  let last:
    | { readonly own: Snapshot; readonly child: Snapshot; readonly both: Snapshot }
    | undefined;
  return {
    clock: oneClock(own.clock, child.clock),
    child,
    open: own.open,
    snapshot() {
      const now = { own: own.snapshot(), child: child.snapshot() };
      if (last?.own !== now.own || last.child !== now.child) {
        last = { ...now, both: snapshotOfBoth(now.own, now.child) };
      }
      return last.both;
    },
    dispose() {
      own.dispose();
      child.dispose();
    },
  };
}

function snapshotOfBoth(own: Snapshot, child: Snapshot): Snapshot {
  let survivors: readonly Survivor[] | undefined;
  return {
    survivors: () =>
      survivors ??= own.survivors().flatMap((left) =>
        child.survivors().filter(({ power }) => power === left.power)
          .map((beside) => bothLeft(left, beside))
      ),
    *images() {
      for (const beside of child.survivors().filter(({ power }) => power)) {
        for (const left of own.images()) yield bothLeft(left, beside);
      }
    },
  };
}

function bothLeft(own: Survivor, child: Survivor): Survivor {
  const { power, size } = own;
  return {
    key: `${own.key} beside ${child.key}`,
    power,
    size,
    settled: own.settled && child.settled,
    restore: () => sideBySide(own.restore(), child.restore()),
  };
}

function oneClock(own: LeaseClock, child: LeaseClock): LeaseClock {
  return {
    now: own.now,
    every: own.every,
    timers: () => own.timers() + child.timers(),
    isFiring: () => own.isFiring() || child.isFiring(),
    stall(ms) {
      own.stall(ms);
      child.stall(ms);
    },
    pass(ms) {
      own.pass(ms);
      child.pass(ms);
    },
  };
}
