import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { resume, run } from "../../../mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { inTempFolder } from "../../stores/drivers/temp_folder.ts";
import { PROGRAM } from "../command_line.ts";
import { agentOf, DROPPING, makeRun, requestOf } from "../made_runs.ts";

/** Serves the pages of a folder's runs by the command line, as long as a test needs them. */
async function followed(
  dir: string,
  words: readonly string[],
  body: (url: string) => Promise<void>,
): Promise<void> {
  const [program = "", ...args] = PROGRAM;
  const process = new Deno.Command(program, {
    args: [...args, "view", ...words, "--follow", "--store", `jsonl:${dir}`],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let told = "";
    while (!told.includes("\n")) told += (await reader.read()).value ?? "\n";
    await body(told.trim());
    process.kill("SIGINT");
    assertEquals((await process.status).code, 0);
  } finally {
    await reader.cancel();
    try {
      process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await process.status;
  }
}

Deno.test("view --follow shows each step of a run as it is recorded, and ends with the run", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir });
    const goOn = Promise.withResolvers<void>();
    const { model, ...agent } = agentOf(store, ["do look", "answer yes"]);
    const call: typeof model.call = async (asked) => {
      if (asked.callId.endsWith("/s1")) await goOn.promise;
      return await model.call(asked);
    };
    const driven = run({ ...agent, model: { ...model, call } }, requestOf("r"));
    await followed(dir, ["r"], async (url) => {
      const response = await fetch(url);
      assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
      assertMatch(response.headers.get("content-security-policy") ?? "", /^default-src 'none';/);
      const parts = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let page = "";
      while (!page.includes('id="s0"')) page += (await parts.read()).value ?? assert(false, page);
      assert(!page.includes("</html>"));
      goOn.resolve();
      for (let part = await parts.read(); !part.done; part = await parts.read()) page += part.value;
      assertStringIncludes(page, "final_answer: the model gave its answer");
      assertStringIncludes(page, "</html>");
    });
    await driven;
  });
});

Deno.test("view --follow shows how prompts were edited, and the calls that were given up", async () => {
  await inTempFolder(async (dir) => {
    const store = jsonlStore({ dir });
    const replies = [..."abcd"].map((name) => `do ${name.repeat(20)}`);
    const failing = [...replies, new TypeError("the line is dead")];
    const request = requestOf("r", DROPPING);
    const options = { onModelFailure: "suspend" } as const;
    await run(agentOf(store, failing), request, options).catch(() => {});
    await resume(agentOf(store, replies), request, options);
    await followed(dir, ["r"], async (url) => {
      const page = await (await fetch(url)).text();
      assertMatch(page, /edit 0, drop_steps in step[^]*<pre>\[gone: 0 to \d, \d+\]<\/pre>/);
      assertMatch(page, /id="s4"[^]*call 1 failed, [^]*TypeError: the line is dead/);
    });
  });
});

Deno.test("view --follow serves its secret path alone, by GET, under this machine's name", async () => {
  await inTempFolder(async (dir) => {
    await makeRun(jsonlStore({ dir }), "a");
    await followed(dir, [], async (url) => {
      const { origin, pathname, port } = new URL(url);
      assertMatch(pathname, /^\/[0-9a-f]{22}\/$/);
      const status = async (address: string, init?: RequestInit) => {
        const response = await fetch(address, init);
        await response.body?.cancel();
        return response.status;
      };
      assertEquals(await status(url), 200);
      assertEquals(await status(`${url}a`), 200);
      assertEquals(await status(`${url}b`), 404);
      assertEquals(await status(`${url}%zz`), 404);
      assertEquals(await status(origin), 404);
      assertEquals(await status(`${origin}/${"0".repeat(22)}/`), 404);
      assertEquals(await status(url, { method: "POST", body: "" }), 404);
      using client = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
      const request = `GET ${pathname} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
      await client.write(new TextEncoder().encode(request));
      const answer = await new Response(client.readable).text();
      assertMatch(answer, /^HTTP\/1\.1 404 /);
    });
  });
});
