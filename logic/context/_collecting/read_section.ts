import { InvalidRequestError, present } from "../../../types/mod.ts";
import {
  type ContextSection,
  SECTION_KINDS,
  SECTION_SEGMENTS,
  type SectionRole,
  TRUST_LEVELS,
} from "../section.ts";
import { readTurns } from "./read_turns.ts";

const SECTION_ROLES: readonly SectionRole[] = ["system", "user", "assistant"];

/** Checks a section field by field and gives a frozen copy, so that nobody can change it afterwards. */
export function readSection(value: unknown, place: string): ContextSection {
  if (typeof value !== "object" || value === null) throw refusal(place, value, "an object");
  const given = value as Readonly<Record<string, unknown>>;
  const id = readText(given.id, `${place}.id`);
  if (id === "" || id.includes(",")) {
    throw refusal(`${place}.id`, id, "a text that is not empty and holds no comma");
  }
  const at = (field: string) => `sections.${id}.${field}`;
  const kind = readMember(given.kind, SECTION_KINDS, at("kind"));
  const segment = readMember(given.segment, SECTION_SEGMENTS, at("segment"));
  return Object.freeze(present({
    id,
    kind,
    segment,
    channel: readChannel(given.channel, segment, at("channel")),
    role: readRole(given.role, kind, segment, at("role")),
    trust: readMember(given.trust, TRUST_LEVELS, at("trust")),
    priority: readPriority(given.priority, at("priority")),
    pinned: readFlag(given.pinned, at("pinned")),
    volatile: readFlag(given.volatile, at("volatile")),
    source: readText(given.source, at("source")),
    version: readText(given.version, at("version")),
    dedupeKey: given.dedupeKey === undefined
      ? undefined
      : readText(given.dedupeKey, at("dedupeKey")),
    body: readBody(given.body, kind, segment, at),
  }));
}

function readBody(
  value: unknown,
  kind: string,
  segment: string,
  at: (field: string) => string,
): ContextSection["body"] {
  if (kind !== "conversation") return readText(value, at("body"));
  if (segment === "injection") {
    throw refusal(at("segment"), segment, "another segment, as an injection is one user message");
  }
  return readTurns(value, at("body"));
}

function readChannel(value: unknown, segment: string, field: string): string | undefined {
  if (segment !== "injection") {
    if (value === undefined) return undefined;
    throw refusal(field, value, 'absent outside the segment "injection"');
  }
  if (typeof value === "string" && value !== "") return value;
  throw refusal(field, value, 'a text that is not empty in the segment "injection"');
}

function readRole(
  value: unknown,
  kind: string,
  segment: string,
  field: string,
): SectionRole | undefined {
  if (value === undefined) return undefined;
  if (kind === "conversation") throw refusal(field, value, "absent, as each turn has its own");
  const role = readMember(value, SECTION_ROLES, field);
  if (segment === "injection" && role !== "user") {
    throw refusal(field, role, '"user", as an injection is a user message');
  }
  return role;
}

function readPriority(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value)) throw refusal(field, value, "a safe integer");
  return value as number;
}

function readFlag(value: unknown, field: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw refusal(field, value, "true or false");
}

function readText(value: unknown, field: string): string {
  if (typeof value !== "string") throw refusal(field, value, "a text");
  return value;
}

function readMember<T extends string>(value: unknown, members: readonly T[], field: string): T {
  const found = members.find((member) => member === value);
  if (found === undefined) {
    throw refusal(field, value, `one of ${members.map((member) => `"${member}"`).join(", ")}`);
  }
  return found;
}

function refusal(field: string, value: unknown, wanted: string): InvalidRequestError {
  return new InvalidRequestError(field, value, `it must be ${wanted}`);
}
