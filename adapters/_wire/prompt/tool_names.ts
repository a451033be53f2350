import { digest, ModelCallError, type ToolSchema } from "../../../types/mod.ts";

/** The names of tools as a provider allows them, and back. */
export interface ToolNames {
  /** The name on the wire. A name that no tool has (a model may have made it up) gets one too. */
  toWire(name: string): string;
  /** The tool's own name; a name that no tool has stays as it is. */
  fromWire(name: string): string;
}

/**
 * Maps tool names one to one to what a provider allows: letters, digits, `_` and `-`, up to a length. A name that
 * fits stays; another has each foreign character replaced by `_`, and is cut to end in a piece of its digest if it is
 * too long. The same name always maps to the same one.
 *
 * @throws {ModelCallError} `bad_request`, if two tools would have the same name.
 */
export function toolNames(tools: readonly ToolSchema[], maxLength: number): ToolNames {
  const owners = new Map<string, string>();
  for (const { name } of tools) {
    const wire = wireName(name, maxLength);
    const owner = owners.get(wire);
    if (owner !== undefined && owner !== name) {
      throw new ModelCallError(
        `the tools "${owner}" and "${name}" would both be called "${wire}": rename one`,
        { kind: "bad_request", retriable: false },
      );
    }
    owners.set(wire, name);
  }
  return {
    toWire: (name) => wireName(name, maxLength),
    fromWire: (name) => owners.get(name) ?? name,
  };
}

const DIGEST_CHARS = 8;

function wireName(name: string, maxLength: number): string {
  const allowed = name.replace(/[^A-Za-z0-9_-]/gu, "_") || "_";
  if (allowed.length <= maxLength) return allowed;
  const suffix = digest(name).slice(-DIGEST_CHARS);
  return `${allowed.slice(0, maxLength - DIGEST_CHARS - 1)}_${suffix}`;
}
