/**
 * Writes the public API down as the baseline of `api_test.ts`: `deno task api-baseline`.
 *
 * @module
 */
import { projectConfig } from "../../tasks/project_config.ts";
import { publicApi } from "./public_api.ts";

const root = new URL("../../../", import.meta.url);
const { exports } = await projectConfig(root);
const lines = await publicApi(root, exports);
await Deno.writeTextFile(new URL("api.txt", import.meta.url), `${lines.join("\n")}\n`);
