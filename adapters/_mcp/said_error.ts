import type { RpcError } from "./json_rpc.ts";

/** An error of a server, as a text names it. */
export function saidError({ code, message }: RpcError): string {
  return `error ${code}, ${JSON.stringify(message)}`;
}
