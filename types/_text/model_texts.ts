import { digest } from "../digest.ts";
import { refuseUnknownFields } from "../_errors/refuse_unknown_fields.ts";
import { InvalidRequestError } from "../_errors/request_errors.ts";
import { present } from "../_shape/present.ts";
import { snakeCase } from "./snake_case.ts";

/**
 * The texts that a port writes for a model: its defaults, with those replaced that the caller gave.
 *
 * @example
 * ```ts
 * import { modelTexts } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const defaults = { timedOut: "It took longer than {ms} ms.", noOutput: "(no output)" };
 * const texts = modelTexts(defaults, { noOutput: "(nothing)" });
 * assertEquals(texts, { timedOut: "It took longer than {ms} ms.", noOutput: "(nothing)" });
 * ```
 *
 * @param field What the caller's option is called.
 * @throws {InvalidRequestError} If a given text is not a string, or has a name that no default has.
 */
export function modelTexts<T extends object>(
  defaults: T,
  given: Partial<T> | undefined,
  field = "texts",
): T {
  if (given === undefined) return defaults;
  refuseUnknownFields(given, defaults, { prefix: `${field}.` });
  const texts = present(given);
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text === "string") continue;
    throw new InvalidRequestError(`${field}.${name}`, text, "it must be a string");
  }
  return { ...defaults, ...texts };
}

/**
 * The digest of each text that a port writes for a model, for its `parameters()`: under `text.<name>`, the name in
 * snake_case. So a run is not resumed with other words than it started with.
 *
 * @example
 * ```ts
 * import { digest, textDigests } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(textDigests({ noOutput: "(nothing)" }), { "text.no_output": digest("(nothing)") });
 * ```
 */
export function textDigests(texts: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`text.${snakeCase(name)}`, digest(text)]),
  );
}
