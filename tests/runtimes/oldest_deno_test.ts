import { assertEquals } from "@std/assert";
import { kernelTests } from "./oldest_deno.ts";

Deno.test("the oldest Deno runs tests of every folder of the kernel, and of the memory store", async () => {
  const folders = (await kernelTests()).map((path) => path.split("/").slice(0, 2).join("/"));
  const expected = ["tests/logic", "tests/session", "tests/stores", "tests/types"];
  assertEquals([...new Set(folders)], expected);
});
