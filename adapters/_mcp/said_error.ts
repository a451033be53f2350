import { excerpt } from "../../types/mod.ts";
import type { RpcError } from "./json_rpc.ts";

/** How much of a server's message is quoted, in code points. */
const MESSAGE_CHARS = 2_000;

/** An error of a server, as a text names it. */
export function saidError({ code, message }: RpcError): string {
  return `error ${code}, ${JSON.stringify(excerpt(message, MESSAGE_CHARS))}`;
}
