import { say } from "../tasks/say.ts";

/**
 * The flags with which a Deno command finds the standard library that the tests use: none where JSR answers, and where
 * it does not, a map to the same code as npm carries it. It asks once, and says in one line that there is no answer.
 */
export async function standardLibraryFlags(): Promise<readonly string[]> {
  const jsr = Deno.env.get("JSR_URL") ?? "https://jsr.io/";
  if (await answers(new URL("@std/assert/meta.json", jsr), 2_000)) return [];
  say("JSR does not answer: the tests take @std from npm, by tests/closed_network");
  return ["--import-map", decodeURI(new URL("import_map.json", import.meta.url).pathname)];
}

/** Whether an address answers in time that it has what is asked for. */
export async function answers(address: URL, timeoutMs: number): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
