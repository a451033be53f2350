/**
 * Calls a tool of a server that does not end by itself and never answers, and says which processes that are.
 *
 * @module
 */
import { call, faulty } from "./stdio_side.ts";

const say = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
};

const server = await faulty("stubborn-and-silent", "modern", { onStderr: say });
const outcome = call(server);
say("calling\n");
await outcome;
