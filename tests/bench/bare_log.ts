import { hash } from "node:crypto";

/** Where a floor puts its lines; the second says whether the line must be on the disk when it returns. */
export type WriteLine = (line: string, isBarrier: boolean) => void | Promise<void>;

/** What a floor takes from a run of the library instead of working it out: its first record, as JSON. */
export interface Start {
  readonly runId: string;
  readonly started: string;
}

/** The digest of a text. */
export function digest(text: string): string {
  return `sha256:${hash("sha256", text)}`;
}

/** A log written bare: what it gives takes an entry's records as JSON, chains and hashes them, and writes the line. */
export function bareLog(runId: string, write: WriteLine): WriteLine {
  let seq = 0;
  let prev = digest(runId);
  return (records, isBarrier) => {
    const hashed = `{"schema":"1.0","seq":${seq++},"prev":"${prev}","records":[${records}]`;
    prev = digest(hashed);
    return write(`${hashed},"hash":"${prev}"}`, isBarrier);
  };
}

/** A prompt as it grows: its messages, their size, and the rolling digest over them. */
export interface BarePrompt {
  /** Adds a message whose keys are in canonical order, of that size. */
  say(message: object, chars: number): void;
  measure(): {
    readonly promptChars: number;
    readonly promptMessages: number;
    readonly promptDigest: string;
  };
  readonly messages: readonly object[];
}

/** A prompt without a message. */
export function barePrompt(): BarePrompt {
  const messages: object[] = [];
  let promptChars = 0;
  let promptDigest = digest("");
  return {
    say(message, chars) {
      messages.push(message);
      promptChars += chars;
      promptDigest = digest(promptDigest + JSON.stringify(message));
    },
    measure: () => ({ promptChars, promptMessages: messages.length, promptDigest }),
    messages,
  };
}

/** A message of one text. */
export function sayText({ say }: BarePrompt, role: string, text: string): void {
  say({ content: [{ text, type: "text" }], role }, text.length);
}
