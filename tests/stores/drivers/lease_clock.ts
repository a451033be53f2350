/** A clock and timers that stand still until a test moves them. */
export interface LeaseClock {
  readonly now: () => number;
  readonly every: (ms: number, call: () => void) => () => void;
  /** How many timers there are. */
  readonly timers: () => number;
  /** Whether a timer fires right now. */
  readonly isFiring: () => boolean;
  /** Lets time pass in which no timer fires, as in a process that is stalled. */
  stall(ms: number): void;
  /** Lets time pass in which every timer fires when it is due. */
  pass(ms: number): void;
}

interface Timer {
  readonly ms: number;
  readonly call: () => void;
  due: number;
}

/** A clock that starts at a time. */
export function leaseClock(start = 1_000): LeaseClock {
  let time = start;
  let firing = false;
  const timers = new Set<Timer>();
  return {
    now: () => time,
    every(ms, call) {
      const timer = { ms, call, due: time + ms };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    timers: () => timers.size,
    isFiring: () => firing,
    stall: (ms) => void (time += ms),
    pass(ms) {
      const end = time + ms;
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.due - b.due);
        if (next === undefined || next.due > end) break;
        time = Math.max(time, next.due);
        next.due += next.ms;
        firing = true;
        next.call();
        firing = false;
      }
      time = Math.max(time, end);
    },
  };
}
