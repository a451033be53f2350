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

Deno.test("a call of a model is one request on Node, too, where it is there", async () => {
  const program = new URL("one_request_program.ts", import.meta.url).pathname;
  const bundle = await output(Deno.execPath(), ["bundle", "--quiet", "--no-lock", program]);
  const printed = bundle && await output("node", ["--input-type=module"], bundle);
  if (!printed) return; // no bundler within reach, or no Node
  const half = { ok: 100, "connection true": 100, requests: 200 };
  const cut = { "connection true": 4, requests: 4 };
  const all = Object.fromEntries([
    ...Object.keys(CLOSINGS).map((how) => [how, half]),
    ...Object.keys(CUTS).map((how) => [how, cut]),
  ]);
  assertEquals(JSON.parse(printed), all);
});

/** What a program prints. Absent: there is no such program, or it fails. */
async function output(program: string, args: string[], stdin = ""): Promise<string | undefined> {
  try {
    const child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
    const { success, stdout } = await child.output();
    return success ? new TextDecoder().decode(stdout) : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
