import { POLICY } from "./head_view.ts";
import type { Markup } from "./markup.ts";

/** Writes the page of a path below the server's secret one; gives `false` where there is none. */
export type WritePage = (
  path: string,
  write: (part: Markup) => void,
  signal: AbortSignal,
) => Promise<boolean>;

/** A server of pages on this machine alone. */
export interface PageServer {
  /** Its address, with the secret part. */
  readonly url: string;
  /** Resolves when it has ended. */
  readonly finished: Promise<void>;
}

/** What each answer says: nothing is loaded, run, guessed, framed or kept. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `${POLICY}; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
};

/**
 * Serves pages on 127.0.0.1, below a path that nobody can guess: whoever has an account on this machine could ask, and a
 * page of the web could, by a name that it has resolve here, so the host's name is looked at too.
 */
export function servePages(port: number, writePage: WritePage, signal: AbortSignal): PageServer {
  const secret = crypto.randomUUID().replaceAll("-", "").slice(0, 22);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, signal, onListen: () => {} },
    (request) => {
      const { host, pathname } = new URL(request.url);
      const isHere = [`127.0.0.1:${server.addr.port}`, `localhost:${server.addr.port}`].includes(
        host,
      );
      if (request.method !== "GET" || !isHere || !pathname.startsWith(`/${secret}/`)) {
        return absent();
      }
      const path = decoded(pathname.slice(secret.length + 2));
      return path === undefined ? absent() : answer(path, writePage, request.signal);
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/${secret}/`;
  return { url, finished: server.finished };
}

function absent(): Response {
  return new Response("There is no such page.\n", { status: 404 });
}

/** What a path says. Absent: it is not as a path must be. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** A page goes out as it is written, however long that takes. */
async function answer(path: string, writePage: WritePage, gone: AbortSignal): Promise<Response> {
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const stop = new AbortController();
  gone.addEventListener("abort", () => stop.abort(), { once: true });
  writer.closed.catch(() => stop.abort());
  const begun = Promise.withResolvers<boolean>();
  const write = (part: Markup) => {
    begun.resolve(true);
    writer.write(encoder.encode(String(part))).catch(() => stop.abort());
  };
  writePage(path, write, stop.signal)
    .then((isThere) => begun.resolve(isThere))
    .catch((error: unknown) => begun.reject(error))
    .finally(() => writer.close().catch(() => {}));
  if (await begun.promise) return new Response(readable, { headers: HEADERS });
  await readable.cancel();
  return absent();
}
