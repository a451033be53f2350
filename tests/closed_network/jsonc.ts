/**
 * `@std/jsonc` where JSR is out of reach: the standard library's own code, as npm carries it, with types.
 *
 * @module
 */
import * as std from "deno-std/jsonc/mod.js";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

export const parse: (text: string) => Json = std.parse;
