/** A real browser, driven over its own protocol. */

const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"];

/** The program of a browser; nothing where there is none. */
export const CHROMIUM: string | undefined = PROGRAMS.find((program) => {
  try {
    return new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
});

/** A page of the browser. */
export interface BrowserPage {
  /** What a script gives in the page, as JSON. */
  evaluate(script: string): Promise<unknown>;
  /** Goes to an address, and gives the addresses of all that it asked for and what its console said. */
  open(
    url: string,
  ): Promise<{ readonly requests: readonly string[]; readonly said: readonly string[] }>;
}

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/** Starts a browser for as long as a test needs it. */
export async function inBrowser(body: (page: BrowserPage) => Promise<void>): Promise<void> {
  const profile = await Deno.makeTempDir();
  const process = new Deno.Command(CHROMIUM ?? "chromium", {
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const stderr = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let told = "";
    while (!/ws:\/\/\S+/.test(told)) {
      const { value, done } = await stderr.read();
      if (done) throw new Error(`the browser did not start: ${told}`);
      told += value;
    }
    using protocol = await connect(/ws:\/\/\S+/.exec(told)?.[0] ?? "");
    await body(await newPage(protocol));
  } finally {
    process.kill("SIGKILL");
    await stderr.cancel();
    await process.status;
    // What it started may still write there.
    await Deno.remove(profile, { recursive: true }).catch(() => {});
  }
}

interface Protocol extends Disposable {
  send(
    method: string,
    params?: object,
    sessionId?: string,
  ): Promise<Readonly<Record<string, unknown>>>;
  readonly events: Reply[];
}

async function connect(address: string): Promise<Protocol> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (reply: Reply) => void>();
  const events: Reply[] = [];
  socket.onmessage = ({ data }) => {
    const reply: Reply = JSON.parse(data);
    if (reply.id === undefined) events.push(reply);
    else waiting.get(reply.id)?.(reply);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  let next = 0;
  return {
    events,
    async send(method, params = {}, sessionId) {
      const id = next++;
      const { promise, resolve } = Promise.withResolvers<Reply>();
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params, sessionId }));
      const { result, error } = await promise;
      if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

async function newPage(protocol: Protocol): Promise<BrowserPage> {
  const { targetId } = await protocol.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await protocol.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params?: object) =>
    protocol.send(method, params, String(sessionId));
  for (const domain of ["Page", "Network", "Runtime", "Log"]) await send(`${domain}.enable`);
  const evaluate = async (expression: string) => {
    const { result } = await send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    return Object(result).value;
  };
  return {
    evaluate,
    async open(url) {
      const from = protocol.events.length;
      await send("Page.navigate", { url });
      while (!protocol.events.slice(from).some(({ method }) => method === "Page.loadEventFired")) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const events = protocol.events.slice(from);
      return {
        requests: events.flatMap(({ method, params }) =>
          method === "Network.requestWillBeSent" ? [String(Object(params?.request).url)] : []
        ),
        said: events.flatMap(({ method, params }) =>
          method === "Log.entryAdded" || method?.startsWith("Runtime.console") ||
            method === "Runtime.exceptionThrown"
            ? [JSON.stringify(params)]
            : []
        ),
      };
    },
  };
}
