import { assert, assertEquals } from "@std/assert";
import { projectConfig } from "../../tasks/project_config.ts";
import { LIMITS } from "../limits.ts";
import { exportedNames, hiddenTypes } from "./mentions.ts";
import { documentation } from "./public_api.ts";

const ROOT = new URL("../../../", import.meta.url);

Deno.test("mod.ts exports what its own signatures mention, and stays narrow", async () => {
  const { exports } = await projectConfig(ROOT);
  const docs = await documentation(ROOT, Object.values(exports));
  const main = new URL("mod.ts", ROOT);
  assertEquals(hiddenTypes(docs, main), []);
  const names = exportedNames(docs, main);
  assert(names.length <= LIMITS["exports of mod.ts"], `it exports ${names.length} names`);
});

Deno.test("hiddenTypes() names what an entry mentions and does not export", async () => {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const root = new URL(`file://${encodeURI(directory)}/`);
  try {
    await Deno.writeTextFile(
      new URL("parts.ts", root),
      `export interface Base { a: 1 }
export interface Part extends Base { other: Other }
export type Other = Base | Part[];
export class Maker { #own: Base; private mine: Base; make(part: Part): void {} }
export const MEMBERS = ["x"] as const;
export type Member = typeof MEMBERS[number];`,
    );
    await Deno.writeTextFile(
      new URL("mod.ts", root),
      `export { type Part, Maker, type Member } from "./parts.ts";`,
    );
    const docs = await documentation(root, ["mod.ts", "parts.ts"]);
    assertEquals(hiddenTypes(docs, new URL("mod.ts", root)), ["Base, by Part", "Other, by Part"]);
    assertEquals(hiddenTypes(docs, new URL("parts.ts", root)), []);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
