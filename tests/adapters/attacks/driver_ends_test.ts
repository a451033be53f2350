import { livelyCommands, pidsIn } from "./lively_commands.ts";
import { startDriver, until } from "./driver_process.ts";

const ignore = Deno.build.os !== "linux";

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
