/** One call is one request, counted by servers that close, reset, or answer half a head after they have read it all. */
import { assertEquals } from "@std/assert";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { CLOSINGS, cutRounds, CUTS, roundsOf } from "./one_request_rounds.ts";

for (const how of Object.keys(CLOSINGS)) {
  Deno.test(`a call of a model is one request to a server that ${how}`, async () => {
    const calls = fuzzSample(Array(200).fill(0)).length;
    const half = { ok: calls / 2, "connection true": calls / 2 };
    assertEquals(await roundsOf(how, calls), { ...half, requests: calls });
  });
}

for (const [at, how] of Object.keys(CUTS).entries()) {
  Deno.test(`a call of a model is one request to a server that ${how}`, async () => {
    const rounds = await cutRounds(how, [at % 2 === 0]);
    assertEquals(rounds, { "connection true": 2, requests: 2 });
  });
}
