import { isWithin, normalPath, type SandboxPermissions, SYSTEM_FOLDERS } from "./permissions.ts";

/**
 * Looks through the folders that code may touch for a symbolic link that leads out of all of them, or into /proc: Deno
 * follows such. Where code may write, it may also rename: there a relative link with `..` counts, wherever it leads as
 * it stands, and so does a folder that cannot be looked through. Hard links are not seen.
 *
 * @param signal Stops it.
 * @returns The first that is found, in words.
 */
export async function findWayOut(
  permissions: Required<SandboxPermissions>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const named = [...new Set([...permissions.read, ...permissions.write])]
    .filter((path) => !SYSTEM_FOLDERS.some((folder) => isWithin(path, folder)));
  const real = await Promise.all(named.map((path) => Deno.realPath(path).catch(() => path)));
  const isInside = (path: string): boolean =>
    !isWithin(path, "/proc") && [...named, ...real].some((folder) => isWithin(path, folder));
  const isWritable = (path: string): boolean =>
    permissions.write.some((folder) => isWithin(path, folder));

  const left = named.filter((path) =>
    !named.some((other) => other !== path && isWithin(path, other))
  );
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    if (signal.aborted) return undefined;
    let entries: readonly Deno.DirEntry[];
    try {
      entries = await Array.fromAsync(Deno.readDir(folder));
    } catch (error) {
      if (isNothing(error)) continue;
      if (error instanceof Deno.errors.PermissionDenied && !isWritable(folder)) continue;
      return `the folder ${JSON.stringify(folder)} cannot be looked through (${error})`;
    }
    for (const { name, isSymlink, isDirectory } of entries) {
      const path = `${folder === "/" ? "" : folder}/${name}`;
      if (isDirectory && !SYSTEM_FOLDERS.includes(path)) left.push(path);
      const fault = isSymlink ? await faultOf(path, isInside, isWritable(path)) : undefined;
      if (fault !== undefined) return `the link ${JSON.stringify(path)} ${fault}`;
    }
  }
  return undefined;
}

/** The table of what is mounted: the one thing in /proc that a link of many systems, `/etc/mtab`, leads to. */
const MOUNT_TABLE = /^\/proc\/(?:\d+\/)?mounts$/;

async function faultOf(
  path: string,
  isInside: (path: string) => boolean,
  isWritable: boolean,
): Promise<string | undefined> {
  let text: string;
  try {
    text = await Deno.readLink(path);
  } catch (error) {
    return isNothing(error) ? undefined : `cannot be read (${error})`;
  }
  // a link to nothing leads where it says: something may be there later
  const said = normalPath(text.startsWith("/") ? text : `${path}/../${text}`);
  const target = await Deno.realPath(path).catch(() => said);
  if (!isInside(target) && !MOUNT_TABLE.test(target)) return `leads to ${JSON.stringify(target)}`;
  if (isWritable && !text.startsWith("/") && text.split("/").includes("..")) {
    return `leads out if it is renamed, as it is ${JSON.stringify(text)}`;
  }
  return undefined;
}

function isNothing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.InvalidData; // no link any more
}
