import { isDeno } from "../../types/mod.ts";

/**
 * A client whose connections serve one request each. On a kept connection Deno's `fetch` sends a request again when the
 * server, which may have read it, closes before it answers: then one call would be two requests. Absent: the platform is
 * another one, and does not.
 */
export function singleUseClient(): Deno.HttpClient | undefined {
  return isDeno() ? Deno.createHttpClient({ poolMaxIdlePerHost: 0 }) : undefined;
}
