import { assert, assertEquals } from "@std/assert";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { projectConfig } from "../../tasks/project_config.ts";

const ROOT = new URL("../../../", import.meta.url);
const ENTRIES = Object.values((await projectConfig(ROOT)).exports);

/** Serves the checkout, as it is, on this machine alone. */
function serveCheckout(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const file = new URL(`.${new URL(request.url).pathname}`, ROOT);
    const headers = { "content-type": "application/typescript; charset=utf-8" };
    return await Deno.readTextFile(file).then(
      (text) => new Response(text, { headers }),
      () => new Response(null, { status: 404 }),
    );
  });
}

/** Runs Deno as a stranger would: no configuration, no lock file, no cache but a new one, no question asked. */
async function runAsStranger(directory: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: directory,
    env: { DENO_DIR: `${directory}/cache`, NO_COLOR: "1", DENO_NO_PROMPT: "1" },
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stderr));
  return decoder.decode(stdout);
}

Deno.test("every entry point type-checks by URL, without configuration, and loads with no permission, so loading it has no effect", async () => {
  await using server = serveCheckout();
  const host = `127.0.0.1:${server.addr.port}`;
  const flags = ["--no-config", "--no-lock", "--quiet", `--allow-import=${host}`];
  const urls = ENTRIES.map((path) => new URL(path, `http://${host}/`).href);
  const lines = urls.map((url, index) => `import * as entry${index} from "${url}";`);
  const names = ENTRIES.map((_, index) => `Object.keys(entry${index}).length`);
  const program = `${lines.join("\n")}\nconsole.log(JSON.stringify([${names}]));`;
  await inTempFolder(async (directory) => {
    await runAsStranger(directory, ["check", ...flags, ...urls]);
    const output = await runAsStranger(directory, [
      "run",
      ...flags,
      `data:text/typescript,${encodeURIComponent(program)}`,
    ]);
    const counts: number[] = JSON.parse(output);
    assertEquals(counts.length, ENTRIES.length);
    assert(counts.every((count) => count > 0), output);
  });
});

Deno.test("the kernel runs with the memory store in a worker that may do nothing", async () => {
  const worker = new Worker(new URL("kernel_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(event.message));
  };
  try {
    const expected = { stopReason: "final_answer", answer: "seen", steps: 2, mayRead: false };
    assertEquals(await promise, expected);
  } finally {
    worker.terminate();
  }
});
