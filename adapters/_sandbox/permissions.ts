import { InvalidRequestError, type KnownFields, refuseUnknownFields } from "../../types/mod.ts";

/** What the code of a `codeSandbox` may touch; nothing but what is named, and never /proc, /sys or /dev. */
export interface SandboxPermissions {
  /** Files and folders, absolute, that it may read. Absent: none. */
  readonly read?: readonly string[];
  /** Files and folders, absolute, that it may write. Absent: none. */
  readonly write?: readonly string[];
  /** Hosts, such as `example.com:443`, that it may connect to or listen on. Absent: none. */
  readonly net?: readonly string[];
}

/** Where a system shows its own state, also that of other processes. */
export const SYSTEM_FOLDERS: readonly string[] = ["/proc", "/sys", "/dev"];

const FIELDS: KnownFields<SandboxPermissions> = { read: true, write: true, net: true };

/**
 * Permissions with each list there and each path normal.
 *
 * @throws {InvalidRequestError} If one is not an array of strings without commas, absolute where it is a path.
 */
export function readPermissions(permissions: SandboxPermissions): Required<SandboxPermissions> {
  refuseUnknownFields(permissions, FIELDS, { prefix: "permissions." });
  for (const [name, entries] of Object.entries(permissions)) {
    const field = `permissions.${name}`;
    if (!Array.isArray(entries)) {
      throw new InvalidRequestError(field, entries, "a permission must be an array");
    }
    for (const entry of entries) {
      if (typeof entry !== "string" || !/^[^,\s]+$/.test(entry)) {
        throw new InvalidRequestError(field, entry, "it must be a string without comma or space");
      }
      if (name !== "net" && !/^(?:\/|[A-Za-z]:[\\/])/.test(entry)) {
        throw new InvalidRequestError(field, entry, "a path must be absolute");
      }
    }
  }
  const { read = [], write = [], net = [] } = permissions;
  return { read: read.map(normalPath), write: write.map(normalPath), net };
}

/** The words by which Deno is told of the permissions. */
export function permissionFlags(permissions: Required<SandboxPermissions>): readonly string[] {
  const { read, write, net } = permissions;
  return Object.entries({ read, write, net }).filter(([, entries]) => entries.length > 0)
    .map(([name, entries]) => `--allow-${name}=${entries.join(",")}`);
}

/** Whether a path is a folder's, or in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** An absolute path without `.`, `..` and empty names; one of Windows stays as it is. */
export function normalPath(path: string): string {
  if (!path.startsWith("/")) return path;
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}
