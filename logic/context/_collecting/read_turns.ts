import {
  type ContentBlock,
  copyJson,
  InvalidRequestError,
  type Message,
  present,
  type Provenance,
  type Role,
  ROLES,
  SerializationError,
} from "../../../types/mod.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Which blocks a turn of each role may hold. */
const BLOCKS_OF_ROLE: Readonly<Record<Role, readonly string[]>> = {
  system: ["text"],
  user: ["text"],
  assistant: ["text", "tool_call"],
  tool: ["tool_result"],
};

/** Ids that a run gives to the tool calls of its own history. */
const RUN_CALL_ID = /^s\d+_a\d+$/;

/** Checks the turns of a conversation and gives a deep-frozen copy. */
export function readTurns(value: unknown, place: string): readonly Message[] {
  if (!Array.isArray(value)) {
    throw new InvalidRequestError(place, value, "it must be an array of messages");
  }
  return Object.freeze(Array.from(value, (turn, i) => readTurn(turn, `${place}[${i}]`)));
}

function readTurn(value: unknown, place: string): Message {
  const given = readFields(value, place);
  const role = ROLES.find((member) => member === given.role);
  if (role === undefined) {
    throw new InvalidRequestError(`${place}.role`, given.role, "it must be the role of a message");
  }
  const blocks = given.content;
  if (!Array.isArray(blocks) || blocks.length === 0) {
    throw new InvalidRequestError(
      `${place}.content`,
      blocks,
      "it must be an array with at least one block",
    );
  }
  return Object.freeze(present({
    role,
    content: Object.freeze(
      Array.from(blocks, (block, i) => readBlock(block, role, `${place}.content[${i}]`)),
    ),
    providerData: given.providerData === undefined
      ? undefined
      : readJson(given.providerData, `${place}.providerData`),
    provenance: given.provenance === undefined
      ? undefined
      : readProvenance(given.provenance, `${place}.provenance`),
  }));
}

function readBlock(value: unknown, role: Role, place: string): ContentBlock {
  const given = readFields(value, place);
  const type = BLOCKS_OF_ROLE[role].find((member) => member === given.type);
  switch (type) {
    case "text":
      return Object.freeze({ type, text: readText(given.text, `${place}.text`) });
    case "tool_call":
      return Object.freeze({
        type,
        toolCallId: readCallId(given.toolCallId, `${place}.toolCallId`),
        name: readText(given.name, `${place}.name`),
        arguments: readJson(given.arguments, `${place}.arguments`),
      });
    case "tool_result":
      if (typeof given.isError !== "boolean") {
        throw new InvalidRequestError(
          `${place}.isError`,
          given.isError,
          "it must be true or false",
        );
      }
      return Object.freeze({
        type,
        toolCallId: readCallId(given.toolCallId, `${place}.toolCallId`),
        text: readText(given.text, `${place}.text`),
        isError: given.isError,
      });
    default:
      throw new InvalidRequestError(
        `${place}.type`,
        given.type,
        `a turn of role "${role}" holds blocks of type "${BLOCKS_OF_ROLE[role].join('", "')}" only`,
      );
  }
}

function readProvenance(value: unknown, place: string): Provenance {
  const given = readFields(value, place);
  return Object.freeze(present({
    source: readText(given.source, `${place}.source`),
    version: readText(given.version, `${place}.version`),
    trust: given.trust === undefined ? undefined : readText(given.trust, `${place}.trust`),
  }));
}

function readCallId(value: unknown, field: string): string {
  const id = readText(value, field);
  if (RUN_CALL_ID.test(id)) {
    throw new InvalidRequestError(
      field,
      id,
      "a run gives ids of this form to its own calls: rename it here and in its result",
    );
  }
  return id;
}

function readJson(value: unknown, field: string): ReturnType<typeof copyJson> {
  try {
    return copyJson(value);
  } catch (cause) {
    if (!(cause instanceof SerializationError)) throw cause;
    throw new InvalidRequestError(field, value, `JSON cannot carry it (${cause.message})`, {
      cause,
    });
  }
}

function readText(value: unknown, field: string): string {
  if (typeof value !== "string") throw new InvalidRequestError(field, value, "it must be a text");
  return value;
}

function readFields(value: unknown, place: string): Fields {
  if (typeof value === "object" && value !== null) return value as Fields;
  throw new InvalidRequestError(place, value, "it must be an object");
}
