/** Prints what became of the calls to each server, as one JSON object: for platforms without Deno's tests. */
import { CLOSINGS, cutRounds, CUTS, roundsOf } from "./one_request_rounds.ts";

const found: Record<string, Record<string, number>> = {};
for (const how of Object.keys(CLOSINGS)) found[how] = await roundsOf(how, 200);
for (const how of Object.keys(CUTS)) found[how] = await cutRounds(how, [false, true]);
// deno-lint-ignore no-console
console.log(JSON.stringify(found));
