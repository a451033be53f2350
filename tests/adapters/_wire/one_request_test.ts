/** One call is one request, counted by servers that close, reset, or answer half a head after they have read it all. */
import { assertEquals } from "@std/assert";
import { CLOSINGS, cutRounds, CUTS, roundsOf } from "./one_request_rounds.ts";

for (const how of Object.keys(CLOSINGS)) {
  Deno.test(`a call of a model is one request to a server that ${how}`, async () => {
    const half = { ok: 100, "connection true": 100 };
    assertEquals(await roundsOf(how, 200), { ...half, requests: 200 });
  });
}

for (const how of Object.keys(CUTS)) {
  Deno.test(`a call of a model is one request to a server that ${how}`, async () => {
    assertEquals(await cutRounds(how), { "connection true": 4, requests: 4 });
  });
}
