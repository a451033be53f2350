import { assertEquals, assertThrows } from "@std/assert";
import { compileSchema } from "../../logic/tools/mod.ts";
import { type JsonValue, UnsupportedSchemaError } from "../../types/mod.ts";

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

const FOLDER = new URL("../testdata/json_schema/", import.meta.url);

function read(path: string): unknown {
  return JSON.parse(Deno.readTextFileSync(new URL(path, FOLDER)));
}

function files(): string[] {
  return ["", "optional/"].flatMap((folder) =>
    [...Deno.readDirSync(new URL(folder, FOLDER))]
      .filter(({ name }) => name.endsWith(".json") && !name.startsWith("_"))
      .map(({ name }) => folder + name)
  ).sort();
}

/** The groups that need the metaschema or dynamic scope; those that only need URIs are checked. */
const nonCore = new Set(
  (read("_noncore.json") as { groups: { file: string; group: number; tags: string[] }[] }).groups
    .filter(({ tags }) => tags.includes("metaschema") || tags.includes("dynamic"))
    .map(({ file, group }) => `${file}#${group}`),
);

Deno.test("compileSchema() does what the official suite says", async (t) => {
  const seen = { groups: 0, tests: 0, refused: 0 };
  for (const file of files()) {
    await t.step(file, () => {
      (read(file) as Group[]).forEach((group, index) => {
        const isRefused = nonCore.has(`${file}#${index}`);
        (isRefused ? checkRefused : checkGroup)(group);
        seen.groups++;
        seen.tests += group.tests.length;
        if (isRefused) seen.refused++;
      });
    });
  }
  const { groups, tests, refused } = seen;
  await t.step(`in all ${groups} groups of ${tests} tests, ${refused} groups refused`, () => {
    assertEquals(seen, { groups: 272, tests: 926, refused: 4 });
  });
});

function checkRefused(group: Group): void {
  assertThrows(() => compileSchema(group.schema), UnsupportedSchemaError);
}

function checkGroup(group: Group): void {
  const schema = compileSchema(group.schema);
  for (const { description, data, valid } of group.tests) {
    const violations = schema.validate(data);
    assertEquals(
      violations.length === 0,
      valid,
      `${group.description}: ${description}: ${JSON.stringify(violations)}`,
    );
  }
}
