import {
  arrayShape,
  booleanShape,
  checkShape,
  copyField,
  eitherShape,
  InvalidRequestError,
  listedNameShape,
  memberShape,
  messageShape,
  type ObjectFields,
  objectShape,
  optionalField,
  refuseUnknownFields,
  type Shape,
  stringShape,
  wholeNumberShape,
} from "../../../types/mod.ts";
import { type ContextSection, SECTION_KINDS, SECTION_SEGMENTS, TRUST_LEVELS } from "../section.ts";
import { checkTurns } from "./check_turns.ts";

const FIELDS: ObjectFields<ContextSection> = {
  id: listedNameShape,
  kind: memberShape(SECTION_KINDS),
  segment: memberShape(SECTION_SEGMENTS),
  channel: optionalField(stringShape),
  role: optionalField(memberShape(["system", "user", "assistant"])),
  trust: memberShape(TRUST_LEVELS),
  priority: wholeNumberShape(Number.MIN_SAFE_INTEGER),
  pinned: optionalField(booleanShape),
  volatile: optionalField(booleanShape),
  source: stringShape,
  version: stringShape,
  dedupeKey: optionalField(stringShape),
  body: eitherShape(
    (value) => typeof value === "string",
    stringShape,
    arrayShape(messageShape),
  ),
};

const sectionShape: Shape<ContextSection> = objectShape(FIELDS);

/**
 * Checks a section and gives a deep-frozen copy of it. Errors name it by its id if it has one, else by its place.
 */
export function readSection(value: unknown, place: string): ContextSection {
  if (typeof value !== "object" || value === null) throw refusal(place, value, "an object");
  const given: Readonly<Record<string, unknown>> = Object(value);
  const id = checkShape(given.id, listedNameShape);
  const at = id.ok ? `sections.${id.value}` : place;
  refuseUnknownFields(given, FIELDS, { prefix: `${at}.` });
  const fields = Object.keys(FIELDS).map((field) => [field, given[field]]);
  const section = copyField(at, Object.fromEntries(fields), sectionShape);
  checkChannel(section, at);
  checkRole(section, at);
  checkBody(section, at);
  return section;
}

function checkChannel({ segment, channel }: ContextSection, at: string): void {
  if (segment !== "injection") {
    if (channel === undefined) return;
    throw refusal(`${at}.channel`, channel, 'absent outside the segment "injection"');
  }
  if (channel !== undefined && channel !== "") return;
  throw refusal(`${at}.channel`, channel, 'a string that is not empty in the segment "injection"');
}

function checkRole({ kind, segment, role }: ContextSection, at: string): void {
  if (role === undefined) return;
  if (kind === "conversation") {
    throw refusal(`${at}.role`, role, "absent, as each turn has its own");
  }
  if (segment === "injection" && role !== "user") {
    throw refusal(`${at}.role`, role, '"user", as an injection is a user message');
  }
}

function checkBody({ kind, segment, body }: ContextSection, at: string): void {
  if (kind !== "conversation") {
    if (typeof body === "string") return;
    throw refusal(`${at}.body`, body, "a string");
  }
  if (segment === "injection") {
    throw refusal(
      `${at}.segment`,
      segment,
      "another segment, as an injection is one user message",
    );
  }
  if (typeof body === "string") throw refusal(`${at}.body`, body, "an array of messages");
  checkTurns(body, `${at}.body`);
}

function refusal(field: string, value: unknown, wanted: string): InvalidRequestError {
  return new InvalidRequestError(field, value, `it must be ${wanted}`);
}
