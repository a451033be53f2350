/**
 * Writes the public API down as the baseline of `api_test.ts`: `deno task api-baseline`.
 *
 * @module
 */
import { publicApi } from "./public_api.ts";

const root = new URL("../../", import.meta.url);
const { exports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
const lines = await publicApi(root, exports);
await Deno.writeTextFile(new URL("api.txt", import.meta.url), `${lines.join("\n")}\n`);
