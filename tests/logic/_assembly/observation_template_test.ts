import { assert, assertEquals, assertThrows } from "@std/assert";
import { fillTemplate, parseTemplate } from "../../../logic/_assembly/mod.ts";
import recorded from "../../testdata/pyformat/cases.json" with { type: "json" };
import { InvalidRequestError } from "../../../types/mod.ts";

/** What CPython did with each template. */
const cases: readonly {
  readonly id: string;
  readonly template: string;
  readonly observation: string;
  readonly python: { readonly output?: string | null };
  readonly subset: string;
}[] = recorded.cases;

Deno.test("fillTemplate() gives what Python's str.format gave in every supported case", () => {
  const supported = cases.filter(({ subset }) => subset === "support");
  assertEquals([supported.length, cases.length], [recorded.count.support, 252]);
  for (const { id, template, observation, python } of supported) {
    assertEquals(fillTemplate(parseTemplate(template), observation), python.output, id);
  }
});

Deno.test("parseTemplate() refuses every other case at once, naming offset and what was found", () => {
  const rejected = cases.filter(({ subset }) => subset === "reject");
  assertEquals(rejected.length, recorded.count.reject);
  for (const { id, template } of rejected) {
    const error = assertThrows(() => parseTemplate(template), InvalidRequestError, undefined, id);
    assertEquals([error.field, error.value], ["observationTemplate", template]);
    const offset = /at offset (\d+) it has "/.exec(error.message);
    if (offset === null) assert(error.message.includes('it has no "{observation}"'), error.message);
    else assert("{}".includes(template[Number(offset[1])]!), error.message);
  }
});

Deno.test("fillTemplate() never looks at the observation again", () => {
  const template = parseTemplate("<{observation}|{{x}}|{observation}>");
  for (const observation of ["{observation}", "$&", "$1$$", "\\", "{{", "🌊\ud83c", ""]) {
    assertEquals(fillTemplate(template, observation), `<${observation}|{x}|${observation}>`);
  }
});
