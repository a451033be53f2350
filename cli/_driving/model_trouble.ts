import type { ModelCallErrorKind } from "../../types/mod.ts";

/** What to mend before a model call that failed is made again. */
const ADVICE: Readonly<Record<ModelCallErrorKind, string>> = {
  context_length: "take a model that reads more, or a smaller prompt for another run",
  quota: "raise what the account may spend",
  content_policy: "the provider refuses what the prompt says: another provider may take it",
  auth: "give the right key, and the right to use this model",
  not_found: "see that the address and the model's name are right",
  timeout: "see why the server takes so long, or give it more time",
  conflict: "wait until the server is ready",
  too_large: "take a server that accepts larger requests",
  rate_limit: "wait, or raise the account's limits",
  overloaded: "wait until the server has less to do",
  server: "see what is wrong at the server",
  bad_request: "see that the model's options are what the server knows",
  connection: "see that the server runs and can be reached",
  stream_truncated: "see what is between this machine and the server",
  malformed_response: "see that the address is that of a model's server",
};

/** What to mend before a model call that failed is made again; nothing where the error does not say what it met. */
export function modelAdvice(kind: ModelCallErrorKind | undefined): string | undefined {
  return kind === undefined ? undefined : ADVICE[kind];
}
