/**
 * What an attack on the sandbox is, what its code may name, and how it is seen that it did not succeed.
 *
 * @module
 */
import type { CodeSandboxTexts, SandboxPermissions } from "../../../adapters/code_sandbox.ts";

/** One way to try to get out of the sandbox. */
export interface Attack {
  /** What is tried. */
  readonly name: string;
  /**
   * A cell. It may name `FOLDER`, the named folder; `OUTSIDE`, a folder beside it, with `secret.txt` and `target.txt`;
   * `files(texts)`, which writes files into the folder and gives the URL of the first; `useWasi(WASI)`, which makes a
   * link by `node:wasi`; `attempt(f)`, for what may throw; and `reached(what)`, which says that something was reached
   * that must not be.
   */
  readonly code: string;
  /** What the observation says of the end of the process. Absent: it may end it, but not by the time limit. */
  readonly says?: keyof CodeSandboxTexts;
}

/** What an attack is after. */
export interface Target {
  /** The folder that may be named. */
  readonly folder: string;
  /** The folder beside it. */
  readonly outside: string;
  /** A text that no observation may hold: it stands in a file outside, and in this process's environment. */
  readonly secret: string;
  /** The code that goes before each attack's. */
  readonly prelude: string;
  /** What of the outside was changed, and the links in the folder; nothing, if all is well. */
  changes(): readonly string[];
  /** Takes away what attacks wrote. */
  clean(): void;
  /** Removes all of it. */
  remove(): Promise<void>;
}

/** The four sets of permissions with which each attack is tried, for one folder. */
export function permissionSets(folder: string): Readonly<Record<string, SandboxPermissions>> {
  return {
    "no permission": {},
    read: { read: [folder] },
    write: { write: [folder] },
    "read and write": { read: [folder], write: [folder] },
  };
}

/** An attack that got what it wanted says so in its observation. */
export const REACHED = "REACHED";

const SECRET_VARIABLE = "POLYLOOP_TEST_SECRET";
/** The same for each target, as it stands in the environment of this process. */
const SECRET = crypto.randomUUID();

/** Makes a target. */
export async function makeTarget(): Promise<Target> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const [folder, outside] = [`${base}/in`, `${base}/out`];
  await Deno.mkdir(outside);
  await Deno.writeTextFile(`${outside}/secret.txt`, SECRET);
  await Deno.writeTextFile(`${outside}/secret.json`, JSON.stringify({ secret: SECRET }));
  await Deno.writeTextFile(`${outside}/target.txt`, "as it was");
  await Deno.chmod(`${outside}/target.txt`, 0o640);
  Deno.env.set(SECRET_VARIABLE, SECRET);
  const clean = (): void => {
    Deno.removeSync(folder, { recursive: true });
    Deno.mkdirSync(folder);
    Deno.writeTextFileSync(`${folder}/own.txt`, "own");
  };
  await Deno.mkdir(folder);
  clean();
  const before = listing(outside);
  return {
    folder,
    outside,
    secret: SECRET,
    prelude: preludeFor(folder, outside),
    changes() {
      const inside = listing(folder);
      const after = listing(outside);
      return [
        ...inside.filter((line) => line.includes(" -> ")),
        ...after.filter((line) => !before.includes(line)),
        ...before.filter((line) => !after.includes(line)),
      ];
    },
    clean,
    async remove() {
      await Deno.remove(base, { recursive: true });
    },
  };
}

/** One line for each file: its path, mode and content, or where it leads as a link. */
function listing(folder: string): readonly string[] {
  const lines: string[] = [];
  for (const { name, isSymlink, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (isSymlink) lines.push(`${path} -> ${Deno.readLinkSync(path)}`);
    else if (isDirectory) lines.push(...listing(path));
    else lines.push(`${path} ${Deno.lstatSync(path).mode} ${Deno.readTextFileSync(path)}`);
  }
  return lines;
}

/** What each attack's code may name, for a world's paths. */
function preludeFor(folder: string, outside: string): string {
  return `const FOLDER = ${JSON.stringify(folder)}, OUTSIDE = ${JSON.stringify(outside)};
const reached = (what) => { if (what) throw new Error("${REACHED} " + String(what)); };
const attempt = async (f) => { try { return await f(); } catch (error) { return String(error); } };
const files = (texts) => {
  for (const [name, text] of Object.entries(texts)) {
    const path = FOLDER + "/" + name;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, text);
  }
  return "file://" + FOLDER + "/" + Object.keys(texts)[0];
};
const useWasi = (WASI) => {
  const wasi = new WASI({ version: "preview1", preopens: { "/d": FOLDER } });
  const name = (text) => [text.length, ...new TextEncoder().encode(text)];
  const instance = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1],
    ...[7, 24, 2, ...name("memory"), 2, 0, ...name("_initialize"), 0, 0, 10, 4, 1, 2, 0, 11],
  ])));
  wasi.initialize(instance);
  const memory = new Uint8Array(instance.exports.memory.buffer);
  const put = (at, text) => { memory.set(new TextEncoder().encode(text), at); return text.length; };
  const target = put(0, OUTSIDE), link = put(4096, "link");
  reached(wasi.wasiImport.path_symlink(0, target, 3, 4096, link) === 0 && "a link");
  return "no link";
};`;
}
