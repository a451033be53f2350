/**
 * Type-checks the kernel and the memory store, and runs every test of theirs, on the oldest Deno that they support.
 *
 * @module
 */
import { checkKernel, findOldestDeno, kernelTests, OLDEST, runTests } from "./oldest_deno.ts";
import { say } from "../../tasks/say.ts";

const deno = await findOldestDeno();
if (deno === undefined) {
  say(`${OLDEST} cannot be had here: npx or npm is out of reach`);
  Deno.exit();
}
const outcomes = [await checkKernel(deno), await runTests(deno, await kernelTests())];
for (const { success, output } of outcomes) {
  if (!success) say(output);
}
say(`${OLDEST}: ${outcomes.every(({ success }) => success) ? "all passes" : "something fails"}`);
Deno.exit(outcomes.every(({ success }) => success) ? 0 : 1);
