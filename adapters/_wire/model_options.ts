import { canonicalJson, copyJson, InvalidRequestError, type JsonValue } from "../../types/mod.ts";

/** Members of a request's body, checked and copied. */
export type RequestMembers = { readonly [key: string]: JsonValue };

/**
 * Checks and copies the caller's members of a request's body.
 *
 * @param reserved The members that the adapter itself writes.
 * @throws {InvalidRequestError} For a reserved member.
 * @throws {SerializationError} For a value that JSON cannot carry.
 */
export function requestMembers(
  request: Readonly<Record<string, JsonValue>>,
  reserved: readonly string[],
): RequestMembers {
  for (const name of reserved) {
    if (Object.hasOwn(request, name)) {
      throw new InvalidRequestError(
        `request.${name}`,
        request[name],
        "the adapter writes that member itself: leave it out",
      );
    }
  }
  return copyJson(request, "request") as RequestMembers;
}

/**
 * Checks the name of a model.
 *
 * @throws {InvalidRequestError} If it is empty.
 */
export function checkModel(model: string): void {
  if (model === "") throw new InvalidRequestError("model", model, "it is empty");
}

/** What a model adapter reports for the parameter snapshot: what it sends, not where to, and no key. */
export function modelParameters(
  kind: string,
  model: string,
  members: RequestMembers,
): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = { kind, model };
  for (const [name, value] of Object.entries(members)) {
    parameters[`request.${name}`] = canonicalJson(value);
  }
  return Object.freeze(parameters);
}
