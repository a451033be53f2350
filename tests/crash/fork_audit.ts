import type { Explorer } from "./exploration.ts";
import { NOTHING } from "./decoded.ts";
import type { Moment } from "./moment.ts";
import { crash } from "./replay.ts";

/**
 * Holds the forks against real crashes: a first process that dies at a moment, its call never settling, must leave
 * what the process that nothing stopped had there at that moment.
 */
export async function auditForks(explorer: Explorer, path: string): Promise<void> {
  const { moments } = await explorer.first();
  for (const moment of moments) {
    const { point, phase } = moment;
    const options = { first: true, executed: new Set<string>() };
    const died = await crash(explorer, explorer.empty(), NOTHING, { point, phase }, options);
    if (shown(died.moment) === shown(moment)) continue;
    const detail = "a process that dies here leaves something else than its fork";
    explorer.report([{ invariant: "fork", detail }], `${path}/${point}:${phase}`);
  }
}

function shown({ snapshot, effects, childEffects, issued, acked, durable }: Moment): string {
  const keys = snapshot.survivors().map(({ key, power }) => `${key} ${power}`);
  return JSON.stringify([keys, effects, childEffects, issued, acked, durable]);
}
