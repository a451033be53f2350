import { CALLED_IN_ONE_PLACE, FOLDERS, PORTS, TEST_DATA } from "./layers.ts";
import { nameFault, placeOf } from "./place.ts";
import { cycles, reached, type Tree } from "./tree.ts";

/** All that the rules of the house find wrong with a tree, one line each, beginning with the path. */
export function violations(tree: Tree): readonly string[] {
  return [
    ...inPlaces(tree),
    ...inFiles(tree),
    ...inGraph(tree),
    ...inMain(tree),
    ...inSession(tree),
    ...inAdapters(tree),
    ...inPorts(tree),
    ...inExports(tree),
  ];
}

function inPlaces({ paths }: Tree): readonly string[] {
  return paths.flatMap((path) => {
    const fault = nameFault(path);
    return fault === undefined ? [] : [`${path}: ${fault}`];
  });
}

function inFiles({ files }: Tree): readonly string[] {
  return [...files].flatMap(([path, { findings }]) => findings.map((each) => `${path}: ${each}`));
}

function inGraph(tree: Tree): readonly string[] {
  const paths = new Set(tree.paths);
  const missing = [...tree.files].flatMap(([path, { imports }]) =>
    imports.filter((target) => !paths.has(target) && !target.startsWith(TEST_DATA))
      .map((target) => `${path}: imports ${target}, which is not there`)
  );
  return [...missing, ...cycles(tree).map((cycle) => `${cycle[0]}: cycle ${cycle.join(" → ")}`)];
}

/** Importing the package loads no store, no adapter and no context. */
function inMain(tree: Tree): readonly string[] {
  const allowed = [".", ...FOLDERS["."]!.reaches, ...FOLDERS.session!.reaches]
    .filter((name) => name !== "logic/context");
  return [...reached(tree, "mod.ts")]
    .filter((path) => !allowed.includes(placeOf(path)?.name ?? ""))
    .map((path) => `mod.ts: loads ${path}`);
}

function inSession({ files }: Tree): readonly string[] {
  const members = [...files].filter(([path]) => path.startsWith("session/"))
    .flatMap(([, file]) => file.members);
  return Object.entries(CALLED_IN_ONE_PLACE).flatMap(([method, receiver]) => {
    const found = members.filter((member) =>
      member.endsWith(`.${method}`) && receiver.test(member.slice(0, -method.length - 1))
    );
    return found.length === 1
      ? []
      : [`session/: takes "${method}" of a port ${found.length} times, not once`];
  });
}

function inAdapters(tree: Tree): readonly string[] {
  return [...tree.files.keys()].filter(isEntry).filter((path) => path.startsWith("adapters/"))
    .flatMap((path) => {
      const fetches = [...reached(tree, path)].map((each) => tree.files.get(each)?.fetches ?? 0)
        .reduce((sum, each) => sum + each, 0);
      return fetches > 1 ? [`${path}: fetches in ${fetches} places, not one`] : [];
    });
}

function inPorts({ files }: Tree): readonly string[] {
  const found = [...files].filter(([path]) => path.startsWith("ports/"))
    .flatMap(([, file]) => file.methodInterfaces).sort();
  return found.join() === PORTS.join()
    ? []
    : [`ports/: holds ${found.join()}, not ${PORTS.join()}`];
}

/** `exports` follows from the tree: a key for each public folder, and one for each store and adapter. */
function inExports({ paths, exports, published }: Tree): readonly string[] {
  const expected = new Map<string, string>();
  for (const [name, { entry, entryFile = "mod.ts" }] of Object.entries(FOLDERS)) {
    if (entry !== undefined && entry !== "each") {
      expected.set(entry, name === "." ? `./${entryFile}` : `./${name}/${entryFile}`);
    }
  }
  for (const path of paths.filter(isEntry)) {
    expected.set(`./${path.slice(0, -3).replaceAll("_", "-")}`, `./${path}`);
  }
  const faults: string[] = [];
  for (const [key, path] of expected) {
    if (exports[key] !== path) faults.push(`deno.json: exports lacks "${key}": "${path}"`);
  }
  for (const [key, path] of Object.entries(exports)) {
    if (!expected.has(key)) faults.push(`deno.json: exports has "${key}", which is not public`);
    if (!paths.includes(path.slice(2))) {
      faults.push(`deno.json: exports "${key}" is not there: ${path}`);
    }
  }
  for (const [name, folder] of Object.entries(FOLDERS)) {
    const path = name === "." ? "mod.ts" : name;
    const included = published.some((each) => path === each || path.startsWith(`${each}/`));
    if (included !== folder.published) {
      faults.push(`deno.json: publish.include is wrong about ${path}`);
    }
  }
  return faults;
}

/** Whether a path is a public module of a folder in which each file is one. */
function isEntry(path: string): boolean {
  const place = placeOf(path);
  return place?.folder.entry === "each" && /^[a-z]+\/[a-z0-9][a-z0-9_]*\.ts$/.test(path);
}
