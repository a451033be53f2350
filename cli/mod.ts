/**
 * The command line: `deno run -A jsr:@polyloop/polyloop/cli --help`. A caller like any other: the only place of the
 * package that puts stores and adapters together.
 *
 * @module
 */
import { main } from "./main.ts";

export { main };

if (import.meta.main) main(Deno.args).then(Deno.exit);
