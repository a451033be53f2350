import { assert } from "@std/assert";
import { say } from "../../tasks/say.ts";
import { findOldestDeno, kernelTests, OLDEST, runTests } from "./oldest_deno.ts";

const deno = await findOldestDeno();
if (deno === undefined) say(`${OLDEST} cannot be had here: npx or npm is out of reach`);

Deno.test({
  name: `a sample of the kernel's tests passes on ${OLDEST}: one file of each folder`,
  ignore: deno === undefined,
  async fn() {
    const folders = Map.groupBy(await kernelTests(), (path) => path.replace(/[^/]+$/, ""));
    const sample = [...folders.values()].map((files) => files.at(-1)!);
    assert(sample.length > 8, sample.join());
    const { success, output } = await runTests(deno!, sample);
    assert(success, output);
  },
});
