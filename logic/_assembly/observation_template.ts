import { InvalidRequestError } from "../../types/mod.ts";

/** The texts between the places where the observation goes: one more than there are places. */
export type ObservationTemplate = readonly string[];

const FIELD = "{observation}";

/**
 * Reads an observation template: Python's `str.format` reduced to the one field `{observation}`, at least once, and
 * the escapes `{{` and `}}`, so that a template written for Python says the same here.
 *
 * @throws {InvalidRequestError} For any other brace, with its offset, and for a template without the field: it would
 * hide every observation from the model.
 */
export function parseTemplate(template: string): ObservationTemplate {
  const literals: string[] = [];
  let literal = "";
  for (let at = 0; at < template.length;) {
    const rest = template.slice(at, at + FIELD.length);
    if (rest.startsWith("{{") || rest.startsWith("}}")) {
      literal += rest[0];
      at += 2;
    } else if (rest === FIELD) {
      literals.push(literal);
      literal = "";
      at += FIELD.length;
    } else if (rest.startsWith("{") || rest.startsWith("}")) {
      throw refusal(
        template,
        `at offset ${at} it has ${
          JSON.stringify(rest)
        }; only "${FIELD}", "{{" and "}}" may hold braces`,
      );
    } else {
      literal += rest[0];
      at += 1;
    }
  }
  if (literals.length === 0) throw refusal(template, `it has no "${FIELD}"`);
  return [...literals, literal];
}

/** Puts an observation into its places, literally. */
export function fillTemplate(template: ObservationTemplate, observation: string): string {
  return template.join(observation);
}

function refusal(template: string, detail: string): InvalidRequestError {
  return new InvalidRequestError("observationTemplate", template, detail);
}
