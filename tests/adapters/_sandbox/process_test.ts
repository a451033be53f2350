import { assertEquals } from "@std/assert";
import { startSandboxProcess } from "../../../adapters/_sandbox/process.ts";

const OPTIONS = {
  permissions: { read: [], write: [], net: [] },
  isolation: "deno",
  memoryMb: 256,
  maxOutputChars: 100,
} as const;

Deno.test("startSandboxProcess() tells that a process is over, also between cells", async () => {
  const process = startSandboxProcess(OPTIONS);
  assertEquals(await process.ready, "r");
  assertEquals(await process.run({ code: "Deno.pid", isTypeScript: false }), "s");
  const pid = Number(process.stdout.take().beginning);
  Deno.kill(pid, "SIGKILL");
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve));
  assertEquals(await process.run({ code: "0", isTypeScript: false }), "found_dead");
  await process.kill();
  await process.kill();
});

Deno.test("startSandboxProcess() has an end also where the process cannot start", async () => {
  const permissions = { ...OPTIONS.permissions, net: ["no:such:host"] };
  const process = startSandboxProcess({ ...OPTIONS, permissions });
  assertEquals(await process.ready, "died");
  assertEquals(await process.run({ code: "0", isTypeScript: false }), "found_dead");
  assertEquals(process.stderr.take().beginning.includes("no:such:host"), true);
  await process.kill();
});

Deno.test("startSandboxProcess() can be killed when it has just ended by itself", async () => {
  const process = startSandboxProcess(OPTIONS);
  await process.ready;
  const code = "console.log(Deno.pid); Deno.exit();";
  assertEquals(await process.run({ code, isTypeScript: false }), "x");
  const pid = Number(process.stdout.take().beginning);
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve));
  await process.kill();
});

function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
