import type { ModelPort } from "../../ports/mod.ts";
import { InvalidRequestError } from "../../types/mod.ts";

/**
 * Checks that something is a model.
 *
 * @throws {InvalidRequestError} If it lacks a method of a {@link ModelPort}.
 */
export function checkModelPort(field: string, model: ModelPort): void {
  const { call, parameters } = Object(model);
  if (typeof call === "function" && typeof parameters === "function") return;
  throw new InvalidRequestError(field, model, "it must be a model, with call() and parameters()");
}
