import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { CODE_SANDBOX_TEXTS, codeSandbox } from "../../adapters/code_sandbox.ts";
import { actionFate, EnvironmentError } from "../../types/mod.ts";
import { execute, LIMITS, observe, witness } from "./sandbox_cells.ts";

Deno.test("codeSandbox() stops code that runs too long, shows what it wrote and tells that its state is lost", async () => {
  await using sandbox = codeSandbox({ ...LIMITS, timeoutMs: 300 });
  const outcome = await execute(sandbox, "console.log('a'); for (;;);");
  assertEquals(actionFate(outcome), "failed");
  assertEquals(outcome.observation, `a\n${CODE_SANDBOX_TEXTS.timedOut.replace("{ms}", "300")}`);
  assertStringIncludes(outcome.observation, "lost");
});

Deno.test("codeSandbox() does not run code in a sandbox that it finds dead", async () => {
  const { permissions, connect, connected } = witness();
  await using sandbox = codeSandbox({ ...LIMITS, permissions });
  await observe(
    sandbox,
    `import { kill, pid } from "node:process";
    ${connect}
    witness.read(new Uint8Array(1)).then(() => kill(pid, "SIGKILL"));`,
  );
  const process = await connected();
  await process.poke();
  await process.gone();
  const { status, observation } = await execute(sandbox, "console.log('ran')");
  assertEquals(status, "environment_failed");
  assert(
    [CODE_SANDBOX_TEXTS.foundDead, CODE_SANDBOX_TEXTS.died].includes(observation),
    observation,
  );
  assertEquals(await observe(sandbox, "1"), "1");
});

Deno.test("codeSandbox() kills code on abort and rejects with its reason", async () => {
  const { permissions, connect, connected } = witness();
  await using sandbox = codeSandbox({ ...LIMITS, permissions });
  const controller = new AbortController();
  const reason = new Error("enough");
  const outcome = execute(sandbox, `${connect} for (;;);`, "js", controller.signal);
  const process = await connected();
  controller.abort(reason);
  assertEquals(await assertRejects(() => outcome), reason);
  await process.gone();
  assertEquals(await assertRejects(() => execute(sandbox, "1", "js", controller.signal)), reason);
  assertEquals(await observe(sandbox, "typeof witness"), '"undefined"');
});

Deno.test("codeSandbox() leaves no process behind after close(), also in the middle of code", async () => {
  const { permissions, connect, connected } = witness();
  const sandbox = codeSandbox({ ...LIMITS, permissions });
  const outcome = execute(sandbox, `${connect} for (;;);`);
  const process = await connected();
  await sandbox.close();
  await process.gone();
  assertEquals((await outcome).status, "environment_failed");
  await sandbox.close();
  await assertRejects(() => execute(sandbox, "1"), EnvironmentError, "closed");
});

Deno.test("codeSandbox() leaves no process behind when its parent is killed", async () => {
  const { permissions, connect, connected } = witness();
  const options = { ...LIMITS, timeoutMs: 1e9, permissions };
  const module = import.meta.resolve("../../adapters/code_sandbox.ts");
  const parent = new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "--no-lock",
      `import { codeSandbox } from ${JSON.stringify(module)};
      const action = { language: "js", code: ${JSON.stringify(`${connect} for (;;);`)} };
      const { signal } = new AbortController();
      await codeSandbox(${JSON.stringify(options)}).execute({ action, signal });`,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const process = await connected();
  parent.kill("SIGKILL");
  await parent.status;
  await process.gone();
});

Deno.test({
  name: "codeSandbox() gives its process neither the environment nor the files of this one",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const path = await Deno.makeTempFile();
    const file = await Deno.open(path);
    try {
      await using sandbox = codeSandbox(LIMITS);
      const pid = await observe(sandbox, "Deno.pid");
      const names = (await Deno.readTextFile(`/proc/${pid}/environ`)).split("\0")
        .filter((entry) => entry !== "").map((entry) => entry.split("=")[0]!);
      assertEquals(names.sort(), ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "NO_COLOR"]);
      for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
        const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
        assertNotEquals(target, path);
      }
      assertEquals(await Deno.readLink(`/proc/${pid}/cwd`), "/");
    } finally {
      file.close();
      await Deno.remove(path);
    }
  },
});
