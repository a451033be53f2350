import { httpChannel, type HttpPlace } from "./http_channel.ts";
import { LegacyHttpLink } from "./legacy_http_link.ts";
import type { McpTransport } from "../link.ts";
import { modernHttpLink } from "./modern_http_link.ts";

/**
 * A server that is reached over HTTP. Nothing is sent yet.
 *
 * @param listens Whether a server of the legacy era may ask what belongs to no request.
 */
export function httpTransport(place: HttpPlace, listens: boolean): McpTransport {
  const channel = httpChannel(place);
  const legacy = new LegacyHttpLink(channel, listens);
  return {
    modern: modernHttpLink(channel),
    legacy,
    hasHeaders: true,
    close: () => legacy.close(),
  };
}
