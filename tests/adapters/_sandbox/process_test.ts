import { assertEquals } from "@std/assert";
import { startSandboxProcess } from "../../../adapters/_sandbox/process.ts";

Deno.test("startSandboxProcess() tells that a process is over, also between cells", async () => {
  const process = startSandboxProcess({ flags: [], maxMemoryMb: 256, maxOutputChars: 100 });
  assertEquals(await process.ready, "r");
  assertEquals(
    await process.run({ code: "setTimeout(() => Deno.exit(), 20); 0", isTypeScript: false }),
    "s",
  );
  assertEquals(process.stdout.take(), { head: "0\n", tail: "", truncatedChars: 0 });
  while (!process.isOver()) await new Promise((resolve) => setTimeout(resolve));
  await process.kill();
  await process.kill();
  assertEquals(process.isOver(), true);
});

Deno.test("startSandboxProcess() has an end also where the process cannot start", async () => {
  const flags = ["--no-such-flag"];
  const process = startSandboxProcess({ flags, maxMemoryMb: 256, maxOutputChars: 100 });
  assertEquals(await process.ready, "died");
  assertEquals(process.isOver(), true);
  assertEquals(process.stderr.take().head.includes("--no-such-flag"), true);
  await process.kill();
});

Deno.test("startSandboxProcess() can be killed when it has just ended by itself", async () => {
  await Promise.all(Array.from({ length: 8 }, async () => {
    const process = startSandboxProcess({ flags: [], maxMemoryMb: 256, maxOutputChars: 100 });
    await process.ready;
    const code = "console.log(Deno.pid); Deno.exit();";
    assertEquals(await process.run({ code, isTypeScript: false }), "x");
    const pid = Number(process.stdout.take().head);
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve));
    await process.kill();
  }));
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
