import { endCommands, killCells } from "./driver_process.ts";
import { LIVELY_SAMPLE } from "./lively_cells.ts";

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "codeSandbox() leaves no process when its parent is killed, whatever the code does",
  ignore,
  fn: () => killCells(LIVELY_SAMPLE).then(() => {}),
});

Deno.test({
  name: "shellExecutor() leaves no process when its driver is killed, whatever the command does",
  ignore,
  fn: () => endCommands("SIGKILL").then(() => {}),
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test({
    name: `shellExecutor() leaves no process when its driver gets ${signal}`,
    ignore,
    fn: () => endCommands(signal, 2).then(() => {}),
  });
}
