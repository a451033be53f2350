/** The cells of code that the demo's model writes. Each prints one line: its tag, and JSON. */

/** Lists the files of a folder, and prints how many there are of each ending. */
export function listCell(root: string): string {
  return `
// list the files
const root = ${JSON.stringify(root)};
const files: string[] = [];
const unreadable = new Set<string>();
async function walk(dir: string): Promise<void> {
  try {
    for await (const { name, isDirectory, isFile } of Deno.readDir(dir)) {
      if (name.startsWith(".") || name === "node_modules") continue;
      if (isDirectory) await walk(dir + "/" + name);
      if (isFile) files.push((dir + "/" + name).slice(root.length + 1));
    }
  } catch {
    unreadable.add(dir);
  }
}
await walk(root);
files.sort();
const endings: Record<string, number> = {};
for (const file of files) {
  const ending = /\\.([a-z]+)$/.exec(file)?.[1] ?? "none";
  endings[ending] = (endings[ending] ?? 0) + 1;
}
const most = Object.entries(endings).sort((a, b) => b[1] - a[1]).slice(0, 60);
console.log("endings", JSON.stringify(Object.fromEntries(most)));`;
}

/** Reads the modules with these endings and prints those with the most exported symbols. */
export function exportsCell(endings: readonly string[]): string {
  return `
// count the exported symbols of each module
const isModule = (file: string) => ${JSON.stringify(endings)}.includes(file.split(".").pop()!);
const sources = new Map<string, string>();
for (const file of files.filter(isModule)) {
  try {
    sources.set(file, await Deno.readTextFile(root + "/" + file));
  } catch {
    unreadable.add(file);
  }
}
${SCANNER}
${endings.includes("py") ? PYTHON_EXPORTS : SCRIPT_EXPORTS}
const counted = [...sources].map(([file, source]) => [file, exportsOf(source).length] as const);
const total = counted.reduce((sum, [, count]) => sum + count, 0);
counted.sort((a, b) => b[1] - a[1]);
const found = { modules: sources.size, unreadable: unreadable.size, total, top: counted.slice(0, 8) };
console.log("exports", JSON.stringify(found));`;
}

/** Resolves the imports of the modules and prints which folder imports which, how often. */
export function importsCell(): string {
  return `
// which folder imports which
const folderOf = (path: string) => path.includes("/") ? path.split("/")[0]! : ".";
const edges = new Map<string, number>();
for (const [file, source] of sources) {
  for (const specifier of importsOf(source)) {
    const relative = /^\\.\\.?\\//.test(specifier);
    const target = relative ? new URL(specifier, "file:///" + file).pathname.slice(1) : specifier;
    const edge = folderOf(file) + " -> " + (relative ? folderOf(target) : "(" + specifier.slice(0, 80) + ")");
    edges.set(edge, (edges.get(edge) ?? 0) + 1);
  }
}
const sorted = [...edges].sort((a, b) => b[1] - a[1]);
console.log("imports", JSON.stringify(sorted.slice(0, 16)));`;
}

/** Prints how many names a module exports, and the first of them, to check a count against. */
export function namesCell(file: string): string {
  return `
// name what the first of them exports, to check its count
const names = exportsOf(sources.get(${JSON.stringify(file)})!);
console.log("names", JSON.stringify({ count: names.length, first: names.slice(0, 30) }));`;
}

/** Blanks comments and template literals, so that what stands in them is not taken for code. */
const SCANNER = String.raw`
function codeOf(source: string): string {
  let code = "";
  for (let i = 0; i < source.length;) {
    const rest = source.slice(i, i + 2);
    const end = rest === "//" ? source.indexOf("\n", i)
      : rest === "/*" ? source.indexOf("*/", i) + 2
      : rest[0] === "${"`"}" ? quoteEnd(source, i)
      : undefined;
    if (end !== undefined) {
      i = end < i + 2 ? source.length : end;
    } else if (rest[0] === '"' || rest[0] === "'") {
      const close = quoteEnd(source, i);
      code += source.slice(i, close);
      i = close;
    } else if (rest[0] === "/" && /(^|[=(,:;!&|?{}[\n]|return)\s*$/.test(code.slice(-12))) {
      i = regexEnd(source, i);
    } else {
      code += source[i++];
    }
  }
  return code;
}
function quoteEnd(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === source[start]) return i + 1;
    else if (source[start] !== "${"`"}" && source[i] === "\n") return i;
  }
  return source.length;
}
function regexEnd(source: string, start: number): number {
  let inClass = false;
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "\n") return start + 1;
    else if (source[i] === "[") inClass = true;
    else if (source[i] === "]") inClass = false;
    else if (source[i] === "/" && !inClass) return i + 1;
  }
  return source.length;
}`;

const SCRIPT_EXPORTS = String.raw`
const DECLARED = /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|interface|type|enum|namespace)\s+([\w$]+)/gm;
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}/gm;
function exportsOf(source: string): string[] {
  const code = codeOf(source);
  const declared = [...code.matchAll(DECLARED)].map((match) => match[1]!);
  const listed = [...code.matchAll(LISTED)].flatMap((match) => match[1]!.split(","))
    .map((item) => item.trim().split(/\s+/).pop()!).filter((name) => name !== "");
  const names = new Set([...declared, ...listed]);
  if (/^export\s+default\b/m.test(code)) names.add("default");
  return [...names];
}
function importsOf(source: string): string[] {
  return [...codeOf(source).matchAll(/^(?:import\s*|(?:import|export)\b[^;"']*?\bfrom\s*)["']([^"'\n]+)["']/gm)]
    .map((match) => match[1]!);
}`;

const PYTHON_EXPORTS = String.raw`
function exportsOf(source: string): string[] {
  return [...new Set([...source.matchAll(/^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/gm)].map((match) => match[1]!))];
}
function importsOf(source: string): string[] {
  return [...source.matchAll(/^(?:from\s+(\.*[\w.]*)\s+import|import\s+([\w.]+))/gm)].map((match) => match[1] ?? match[2]!);
}`;
