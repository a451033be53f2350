import { errorInfo } from "../types/mod.ts";

/** Opens a file that a command writes. What prevents it is an error that names the path and why. */
export function openToWrite(path: string, open: () => Deno.FsFile): Deno.FsFile {
  try {
    return open();
  } catch (cause) {
    throw new Error(`Cannot write "${path}" as ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AlreadyExists) return "there is a file of that name";
  if (error instanceof Deno.errors.NotFound) return "there is no such folder";
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder";
  return errorInfo(error).message;
}
