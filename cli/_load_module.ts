import { errorInfo, errorInfoWithStack } from "../types/mod.ts";

/** A module that was loaded by its path. */
export interface LoadedModule {
  readonly url: string;
  readonly exports: object;
}

/**
 * Loads the module at a path, from the current folder.
 *
 * @throws {Error} Naming the path, and the line at which the module threw.
 */
export async function loadModule(path: string): Promise<LoadedModule> {
  const url = await urlOf(path);
  return { url, exports: await load(path, url) };
}

async function urlOf(path: string): Promise<string> {
  try {
    return fileUrl(await Deno.realPath(path));
  } catch (cause) {
    throw new Error(`Cannot load "${path}" as ${unreachable(cause)}`, { cause });
  }
}

async function load(path: string, url: string): Promise<object> {
  try {
    return await import(url);
  } catch (cause) {
    throw new Error(`Cannot load "${path}" as ${thrownWords(cause, url)}`, { cause });
  }
}

/** What was thrown, and where: in the module if it comes by there, else in what it imports. */
export function thrownWords(thrown: unknown, url: string): string {
  const { message, stack = "" } = errorInfoWithStack(thrown);
  const frames = stack.matchAll(/^ +at .*?(file:\/\/.*:\d+:\d+)/gm);
  const places = Array.from(frames, ([, place = ""]) => place);
  const own = decodeURIComponent(url); // as a stack has it
  const library = new URL("..", import.meta.url).href;
  const place = places.find((place) => place.startsWith(own)) ??
    places.find((place) => !place.startsWith(library));
  return place === undefined || message.includes(place) ? message : `${message}, at ${place}`;
}

function unreachable(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.NotCapable) {
    return "this process may not read it: start it with --allow-read";
  }
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not read it";
  return errorInfo(error).message;
}

function fileUrl(path: string): string {
  const url = new URL("file:///");
  url.pathname = path.replaceAll("%", "%25");
  return url.href;
}
