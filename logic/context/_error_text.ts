import { errorInfo } from "../../types/mod.ts";

/** What a thrown value says, for an error or a report. Never throws. */
export function errorText(thrown: unknown): string {
  const { name, message } = errorInfo(thrown);
  return thrown instanceof Error ? `${name}: ${message}` : message;
}
