/**
 * The few functions of `@std/fs` that the tests use, where JSR is out of reach: npm carries no copy of that package.
 *
 * @module
 */

interface WalkEntry {
  readonly path: string;
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

interface WalkOptions {
  readonly includeDirs?: boolean;
  readonly exts?: string[];
  readonly skip?: RegExp[];
}

/** Walks a folder, the folder itself first. */
export async function* walk(
  root: string,
  options: WalkOptions = {},
): AsyncIterableIterator<WalkEntry> {
  const { includeDirs = true, exts, skip = [] } = options;
  if (skip.some((pattern) => pattern.test(root))) return;
  const name = root.slice(root.lastIndexOf("/") + 1);
  if (includeDirs && exts === undefined) {
    yield { path: root, name, isFile: false, isDirectory: true, isSymlink: false };
  }
  for await (const entry of Deno.readDir(root)) {
    const path = `${root.replace(/\/$/, "")}/${entry.name}`;
    if (entry.isDirectory) yield* walk(path, options);
    else if (
      (exts === undefined || exts.some((ext) => path.endsWith(ext))) &&
      !skip.some((pattern) => pattern.test(path))
    ) {
      yield { path, ...entry };
    }
  }
}

/** Whether something is there. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Makes a folder, and those above it, unless it is there. */
export async function ensureDir(dir: string): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
}

/** Copies a file, or a folder with all that is in it. */
export async function copy(src: string, dest: string): Promise<void> {
  if (!(await Deno.stat(src)).isDirectory) return await Deno.copyFile(src, dest);
  await ensureDir(dest);
  for await (const entry of Deno.readDir(src)) {
    await copy(`${src}/${entry.name}`, `${dest}/${entry.name}`);
  }
}
