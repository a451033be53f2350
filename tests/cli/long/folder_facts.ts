/** What is known of a module. */
export interface ModuleFacts {
  /** The line that says it. */
  readonly note: string;
  readonly exported: number;
  /** The folders that it imports from. */
  readonly imported: readonly string[];
}

/** The paths of a folder's modules, in order. */
export async function modulesOf(folder: string, under = ""): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${under}`)) {
    if (isDirectory) paths.push(...await modulesOf(folder, `${under}${name}/`));
    else if (name.endsWith(".ts")) paths.push(`${under}${name}`);
  }
  return paths.sort();
}

/** The line that says what a module exports and imports. */
export function noteOf(path: string, text: string): string {
  const exported = [...text.matchAll(/^export /gm)].length;
  const targets = text.matchAll(/^(?:import|export|\}) .*from "(\.[^"]+)";$/gm);
  const imported = Array.from(
    targets,
    ([, target = ""]) => folderOf(new URL(target, `file:///${path}`).pathname.slice(1)),
  );
  return `note: ${path} exports ${exported} imports ${[...new Set(imported)].sort().join(" ")}`;
}

function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}

/** What the notes in a text say, by path. */
export function factsOf(text: string): ReadonlyMap<string, ModuleFacts> {
  const notes = text.matchAll(/^note: (\S+) exports (\d+) imports (.*)$/gm);
  return new Map(Array.from(notes, ([note, path = "", exported, imported = ""]) => [path, {
    note,
    exported: Number(exported),
    imported: imported.split(" ").filter(Boolean),
  }]));
}

/** The answer that facts give. */
export function conclusion(facts: ReadonlyMap<string, ModuleFacts>): string {
  const most = [...facts].sort(([a, x], [b, y]) => y.exported - x.exported || (a < b ? -1 : 1));
  const edges = new Set(
    [...facts].flatMap(([path, { imported }]) =>
      imported.map((to) => `${folderOf(path)} -> ${to}`)
    ),
  );
  return [
    `${facts.size} modules.`,
    ...most.slice(0, 5).map(([path, { exported }]) => `${exported} ${path}`),
    ...[...edges].sort(),
  ].join("\n");
}
