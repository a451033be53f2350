import { assertEquals, assertThrows } from "@std/assert";
import {
  type CompiledSchema,
  compileSchema,
  readSchema,
} from "../../logic/tools/compile_schema.ts";
import { isJsonObject, type JsonValue, UnsupportedSchemaError } from "../../types/mod.ts";

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

interface Draft {
  readonly $schema: string;
  readonly groups: number;
  /** What is refused: it needs the metaschema, dynamic scope, or means something else today. */
  readonly refused: readonly string[];
}

const METASCHEMA = ["ref.json: remote ref, containing refs itself"];
const DEFINITIONS = ["definitions.json: validate definition against metaschema"];

const DRAFTS: Readonly<Record<string, Draft>> = {
  "draft4": {
    $schema: "http://json-schema.org/draft-04/schema#",
    groups: 182,
    refused: [
      ...DEFINITIONS,
      "maximum.json: exclusiveMaximum validation",
      "maximum.json: maximum validation (explicit false exclusivity)",
      "minimum.json: exclusiveMinimum validation",
      "minimum.json: minimum validation (explicit false exclusivity)",
      "optional/bignum.json: float comparison with high precision",
      "optional/bignum.json: float comparison with high precision on negative numbers",
      "optional/id.json: id inside an enum is not a real identifier",
      ...METASCHEMA,
    ],
  },
  "draft6": {
    $schema: "https://json-schema.org/draft-06/schema",
    groups: 254,
    refused: [...DEFINITIONS, ...METASCHEMA],
  },
  "draft7": {
    $schema: "http://json-schema.org/draft-07/schema#",
    groups: 279,
    refused: [...DEFINITIONS, ...METASCHEMA],
  },
  "draft2019-09": {
    $schema: "https://json-schema.org/draft/2019-09/schema",
    groups: 394,
    refused: [
      "defs.json: validate definition against metaschema",
      "recursiveRef.json: $recursiveRef with nesting",
      "recursiveRef.json: $recursiveRef with no $recursiveAnchor in the initial target schema resource",
      "recursiveRef.json: $recursiveRef with no $recursiveAnchor in the outer schema resource",
      "recursiveRef.json: $recursiveRef without using nesting",
      "recursiveRef.json: dynamic $recursiveRef destination (not predictable at schema compile time)",
      "recursiveRef.json: multiple dynamic paths to the $recursiveRef keyword",
      "ref.json: $ref with $recursiveAnchor",
      ...METASCHEMA,
      "unevaluatedItems.json: unevaluatedItems with $recursiveRef",
      "unevaluatedProperties.json: unevaluatedProperties with $recursiveRef",
    ],
  },
};

const FOLDER = new URL("../testdata/json_schema_older/", import.meta.url);

for (const [draft, { $schema, groups, refused }] of Object.entries(DRAFTS)) {
  Deno.test(`a schema that names ${draft} means what the official suite of it says`, () => {
    const files: Record<string, readonly Group[]> = JSON.parse(
      Deno.readTextFileSync(new URL(`${draft}.json`, FOLDER)),
    );
    const named = Object.entries(files).flatMap(([file, groups]) =>
      groups.map((group) => ({ name: `${file}: ${group.description}`, group }))
    );
    assertEquals(named.length, groups);
    for (const { name, group } of named) {
      const schema = isJsonObject(group.schema) ? { $schema, ...group.schema } : group.schema;
      if (refused.includes(name)) {
        assertThrows(() => compileSchema(schema), UnsupportedSchemaError);
        continue;
      }
      const read = readSchema(schema);
      checkGroup(name, group, read);
      const current = read.inCurrentForm();
      checkGroup(`${name}, as ${JSON.stringify(current)}`, group, compileSchema(current));
    }
  });
}

function checkGroup(name: string, group: Group, schema: CompiledSchema): void {
  for (const { description, data, valid } of group.tests) {
    const violations = schema.validate(data);
    assertEquals(
      violations.length === 0,
      valid,
      `${name}: ${description}: ${JSON.stringify(violations)}`,
    );
  }
}
