/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { runTask } from "./exploration_task.ts";

self.onmessage = async ({ data }) => {
  self.postMessage(await runTask(data));
};
