/**
 * Fails unless the tests took every branch in `logic/`; `deno.json` has the threshold for the rest.
 *
 * @module
 */
import { say } from "./say.ts";

const { stdout } = await new Deno.Command(Deno.execPath(), {
  args: ["coverage", "--lcov", "--include=/logic/", "--exclude=/tests/"],
  stderr: "inherit",
}).output();

const missed: string[] = [];
let file = "";
let branches = 0;
for (const line of new TextDecoder().decode(stdout).split("\n")) {
  if (line.startsWith("SF:")) file = line.slice(3);
  if (!line.startsWith("BRDA:")) continue;
  branches += 1;
  const [at, , , taken] = line.slice(5).split(",");
  if (taken === "0" || taken === "-") missed.push(`${file}:${at}`);
}
for (const place of missed) say(`a branch that no test takes: ${place}`);
say(`logic/: ${branches - missed.length} of ${branches} branches taken`);
if (branches === 0 || missed.length > 0) Deno.exit(1);
