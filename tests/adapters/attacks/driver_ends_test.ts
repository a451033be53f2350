import { assertEquals } from "@std/assert";
import { LIVELY_CELLS } from "./lively_cells.ts";
import { livelyCommands, pidsIn } from "./lively_commands.ts";
import { startDriver, until } from "./driver_process.ts";

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "codeSandbox() leaves no process when its parent is killed, whatever the code does",
  ignore,
  async fn() {
    const driver = await startDriver({ commands: [], cells: Object.values(LIVELY_CELLS) });
    assertEquals(driver.pids.length, 12);
    await driver.end("SIGKILL", driver.pids);
  },
});

for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
  Deno.test({
    name: `shellExecutor() leaves no process when its driver gets ${signal}`,
    ignore,
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        const commands = livelyCommands(folder);
        const driver = await startDriver({ commands, cells: [] });
        await until(() => pidsIn(folder).length > commands.length);
        await driver.end(signal, pidsIn(folder));
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
