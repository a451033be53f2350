import { InvalidRequestError } from "../types/mod.ts";

/** An option that says where a store is: a string that is not empty. */
export function placeOption<T extends object>(
  store: string,
  options: T,
  name: keyof T & string,
): string {
  const place: unknown = Object(options)[name];
  if (typeof place === "string" && place !== "") return place;
  throw new InvalidRequestError(`${store}.${name}`, place, "it must be a string that is not empty");
}
