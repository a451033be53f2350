import type { Effort, Goal, Row } from "../measure.ts";
import { type Best, best, FLOOR, PEER, type Task } from "./contest.ts";
import { withEarlierPeer } from "./earlier.ts";

/**
 * What a step costs by the native protocol, each figure from a process of its own that has done nothing before: so users
 * and comparisons with other libraries meet it. Of each figure the best round counts.
 */
export async function nativeRows({ fewRounds }: Effort): Promise<readonly Row[]> {
  const toFloor = (...task: Task) => contest(fewRounds, FLOOR, task);
  const thousand = await toFloor("default", "run", 1_000);
  const tenThousand = await toFloor("default", "run", 10_000);
  const file = await toFloor("jsonl", "run", 1_000);
  const short = await toFloor("jsonl", "resume", 333);
  const long = await toFloor("jsonl", "resume", 6_666);
  const many = await toFloor("default", "many", 20, 200);
  const [inSqlite] = await best(fewRounds, [PEER], ["sqlite", "many", 20, 200]);
  const earlier = await withEarlierPeer((peer) =>
    contest(fewRounds, peer, ["default", "run", 1_000])
  );
  const grown = (side: keyof Contest) => tenThousand[side].step / thousand[side].step;
  return [
    row("memory, 1000 steps ÷ floor", ratio(thousand, "step", "µs"), { atMost: 2.5 }),
    row("memory, the last tenth of 1000 ÷ floor", ratio(thousand, "lastTenth", "µs"), {
      atMost: 1.5,
    }),
    row(
      "memory, a step of 10000 ÷ a step of 1000",
      { value: grown("subject"), detail: `the floor's: ${grown("floor").toFixed(2)}` },
      { atMost: 1.05 },
    ),
    row("memory, 10000 steps ÷ floor", ratio(tenThousand, "step", "µs")),
    row("resident at 10000 steps ÷ floor", ratio(tenThousand, "resident", "MB"), { atMost: 1.2 }),
    row("memory, 200 runs of 20 steps ÷ floor", ratio(many, "step", "µs"), { atMost: 3.2 }),
    row("jsonl, 1000 steps ÷ floor", ratio(file, "step", "µs"), { atMost: 1.4 }),
    row(
      "memory ÷ sqlite, 200 runs of 20 steps",
      ratio({ subject: many.subject, floor: inSqlite! }, "step", "µs"),
      { atLeast: 0.75 },
    ),
    bytesRow(thousand.subject.bytes / 1_000),
    row("resume of 1000 entries ÷ JSON.parse", ratio(short, "step", "µs"), { atMost: 7 }),
    row("resume of 20000 entries ÷ JSON.parse", ratio(long, "step", "µs"), { atMost: 7 }),
    ...earlier === undefined ? [] : [
      row("memory, 1000 steps ÷ before unused features", ratio(earlier, "step", "µs"), {
        atMost: 1.03,
      }),
    ],
  ];
}

interface Contest {
  readonly subject: Best;
  readonly floor: Best;
}

async function contest(rounds: number, against: URL, task: Task): Promise<Contest> {
  const [subject, floor] = await best(rounds, [PEER, against], task);
  return { subject: subject!, floor: floor! };
}

type Measured = Pick<Row, "value" | "detail">;

function ratio({ subject, floor }: Contest, figure: keyof Best, unit: string): Measured {
  const shown = (value: number) => `${value.toFixed(1)} ${unit}`;
  return {
    value: subject[figure] / floor[figure],
    detail: `${shown(subject[figure])} ÷ ${shown(floor[figure])}`,
  };
}

function row(name: string, measured: Measured, goal?: Goal): Row {
  return { name: `native: ${name}`, unit: "ratio", ...measured, ...(goal && { goal }) };
}

/** Here and not among the rows that are counted: the bench does not fail for it. */
function bytesRow(value: number): Row {
  const detail = "ids stay in each record, for whoever reads a log without the library";
  return { name: "native: bytes of a step", value, unit: "bytes", goal: { atMost: 2_000 }, detail };
}
