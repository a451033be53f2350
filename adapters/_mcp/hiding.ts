import { excerpt } from "../../types/mod.ts";
import {
  namedSecrets,
  queryValues,
  replySecrets,
  secretTexts,
  withoutTexts,
} from "../_wire/secrets.ts";

/** Keeps what a caller gave to a server out of what is told of it: a server can repeat it. */
export interface Hiding {
  /** A text of a server without any long enough word of what the caller gave. */
  inWords(text: string): string;
  /** The same of an error, of which the beginning is kept: it is cut when nothing is left that a cut could hide from here. */
  inErrors(text: string): string;
  /** What is recorded of a server, without what is secret by its name. The rest may be a word of any text. */
  inResults(text: string): string;
}

/** How much of an error is kept, in code points: a server can say anything. */
const MAX_ERROR_CHARS = 2_000;

/** For a server with this environment. */
export function hidingEnv(env: Readonly<Record<string, string>>): Hiding {
  return hiding(secretTexts(Object.values(env)), namedSecrets(env));
}

/** For a server at an address, with these headers. */
export function hidingRequest(headers: Readonly<Record<string, string>>, url: URL): Hiding {
  const given = [...Object.values(headers), ...queryValues(url)];
  return hiding(secretTexts(given), replySecrets(headers, url));
}

function hiding(given: readonly string[], secret: readonly string[]): Hiding {
  return {
    inWords: (text) => withoutTexts(text, given),
    inErrors: (text) => excerpt(withoutTexts(text, given), MAX_ERROR_CHARS),
    inResults: (text) => withoutTexts(text, secret),
  };
}
