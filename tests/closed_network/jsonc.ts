/**
 * `@std/jsonc` where JSR is out of reach: the standard library's own code, as npm carries it, with types.
 *
 * @module
 */
// deno-lint-ignore no-import-prefix -- the one place that takes code from npm
import * as std from "npm:deno-std@1.4.0/jsonc/mod.js";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

export const parse: (text: string) => Json = std.parse;
