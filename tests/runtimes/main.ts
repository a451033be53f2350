/**
 * Type-checks the kernel and the memory store, and runs every test of theirs, on the oldest Deno that they support, where
 * every entry point must load; and takes the package, as npm would have it, to Node and Bun.
 *
 * @module
 */
import { checkPacked } from "./packed_checks.ts";
import { say } from "../tasks/say.ts";
import {
  checkKernel,
  findOldestDeno,
  kernelTests,
  loadEntryPoints,
  OLDEST,
  runTests,
} from "./oldest_deno.ts";

async function checkOldestDeno(): Promise<boolean> {
  const deno = await findOldestDeno();
  if (deno === undefined) {
    say(`${OLDEST} cannot be had here: npx or npm is out of reach`);
    return true;
  }
  const outcomes = [
    await checkKernel(deno),
    await loadEntryPoints(deno),
    await runTests(deno, await kernelTests()),
  ];
  for (const { success, output } of outcomes) {
    if (!success) say(output);
  }
  const succeeded = outcomes.every(({ success }) => success);
  say(`${OLDEST}: ${succeeded ? "all passes" : "something fails"}`);
  return succeeded;
}

const results = [await checkOldestDeno(), await checkPacked(say)];
Deno.exit(results.every((holds) => holds) ? 0 : 1);
