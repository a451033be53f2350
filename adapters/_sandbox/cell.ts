/**
 * How a cell of the sandbox is read. There is no parser of JavaScript here: the engine itself is asked whether pieces
 * of the cell compile, and what it says decides. These functions run inside the sandbox, from their own source text,
 * so each of them may name only the others, the platform and its arguments.
 */

/** A cell, ready to run. */
export interface PreparedCell {
  /** The cell without types and import declarations. */
  readonly script: string;
  /** The body of an async function: the script, line by line, with its last expression returned in an array of one. */
  readonly body: string;
  /** The names that the cell declares at its top level. */
  readonly names: readonly string[];
}

/** Makes a cell of JavaScript or TypeScript ready to run; rejects with the engine's `SyntaxError` if it is neither. */
export async function prepareCell(code: string, isTypeScript: boolean): Promise<PreparedCell> {
  const toScript = isTypeScript ? withoutTypes : compiled;
  const script = await toScript(await withDynamicImports(code, toScript));
  return { script, body: withReturnedValue(script), names: declaredNames(script) };
}

/** An async function of strict code. Making it compiles the body, and does not run it. */
export function asyncFunction(
  parameter: string,
  body: string,
): (argument: unknown) => Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (
    parameter: string,
    body: string,
  ) => (argument: unknown) => Promise<unknown>;
  return new AsyncFunction(parameter, `"use strict";${body}`);
}

function compiles(body: string): boolean {
  try {
    asyncFunction("", body);
    return true;
  } catch {
    return false;
  }
}

/** The script itself; throws if it does not compile. */
function compiled(script: string): string {
  asyncFunction("", script);
  return script;
}

/** Deno takes the types off a module that it loads, and a function tells its own source. */
async function withoutTypes(code: string): Promise<string> {
  const end = '"end of the cell";';
  const module = `export async function cell() {\n${code}\n;${end}\n}`;
  const url = `data:application/typescript;charset=utf-8,${encodeURIComponent(module)}`;
  const cell = await asyncFunction("url", "return (await import(url)).cell;")(url)
    .catch((error) => {
      const message = String(error.message)
        .replace(/^SyntaxError: |\n\s*at data:.*$/g, "")
        .replace(/^( *)(\d+)( \|)/gm, (_, space, line, bar) => `${space}${line - 1}${bar}`);
      throw new SyntaxError(message);
    });
  const source = String(cell);
  const length = source.lastIndexOf(end);
  if (length === -1) throw new SyntaxError("Unexpected token '}'");
  return compiled(source.slice(source.indexOf("{") + 1, length));
}

/**
 * Puts `await import()` in the place of import declarations, which a function cannot have. What looks like one in a
 * string or a comment compiles as it is, and is left alone.
 */
async function withDynamicImports(
  code: string,
  toScript: (code: string) => string | Promise<string>,
): Promise<string> {
  const declaration =
    /^[ \t]*import\s+(?:([^"'`;()]+?)\s+from\s+)?("[^"\n]+"|'[^'\n]+')(?:\s+with\s+(\{[^}]*\}))?[ \t]*;?/gm;
  const found = [...code.matchAll(declaration)];
  if (found.length === 0) return code;
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  const rewrite = (write: (text: string, at: number) => string) => {
    let at = 0;
    return code.replace(declaration, (text) => write(text, at++));
  };
  const real: boolean[] = [];
  for (let i = 0; i < found.length; i++) {
    try {
      await toScript(rewrite((text, at) => at === i ? text : blank(text)));
      real.push(false);
    } catch {
      real.push(true);
    }
  }
  return rewrite((text, at) => {
    if (!real[at]) return text;
    const [, clause, specifier, attributes] = found[at] ?? [];
    const lines = text.replace(/[^\n]/g, "");
    if (clause !== undefined && /^type\s+[^,]/.test(clause)) return lines;
    const options = attributes === undefined ? "" : `, { with: ${attributes} }`;
    return `${bound(clause, `await import(${specifier}${options})`)};${lines}`;
  });
}

/** A call of `import()` with the bindings of a declaration's clause, such as `a, { b as c, type D }`. */
function bound(clause: string | undefined, call: string): string {
  if (clause === undefined) return call;
  const named = /\{([^}]*)\}/.exec(clause)?.[1];
  const namespace = /\*\s*as\s+(\S+)/.exec(clause)?.[1];
  const standard = /^[^\s,{*]+/.exec(clause)?.[0];
  const names = (named ?? "").split(",").map((name) => name.trim())
    .filter((name) => name !== "" && !/^type\s/.test(name))
    .map((name) => name.replace(/\s+as\s+/, ": "));
  if (standard !== undefined) names.push(`default: ${standard}`);
  const pattern = `{ ${names.join(", ")} }`;
  if (namespace === undefined) return `const ${pattern} = ${call}`;
  const others = names.length === 0 ? "" : `, ${pattern} = ${namespace}`;
  return `const ${namespace} = ${call}${others}`;
}

/**
 * The names that a script declares at its top level, nested `var` included: exactly those that cannot be declared once
 * more in front of it. All identifiers are tried at once, then halves of those that collide.
 */
function declaredNames(script: string): string[] {
  const words = script.match(/[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu) ?? [];
  const names = [...new Set(words)].filter((word) => compiles(`let ${word};`));
  const colliding = (part: string[]): string[] => {
    if (part.length === 0 || compiles(`let ${part.join(",")};\n${script}`)) return [];
    if (part.length === 1) return part;
    const middle = part.length >> 1;
    return [...colliding(part.slice(0, middle)), ...colliding(part.slice(middle))];
  };
  return colliding(names);
}

/**
 * Returns the value of the script's last statement, in an array, if it is an expression. Candidates for the beginning
 * of that statement are taken from the end: after a semicolon, or at a line that starts with a word, so that it cannot
 * go on with the line before. Where in doubt the script stays as it is, and no value is shown.
 */
function withReturnedValue(script: string): string {
  const blank = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*/;
  let attempts = 0;
  for (let at = script.length - 1; at >= 0 && attempts < 500; at--) {
    const before = script[at - 1];
    if (at > 0 && before !== ";" && before !== "\n") continue;
    const rest = script.slice(at);
    const statement = rest.replace(blank, "");
    if (statement === "" || statement[0] === ";") continue;
    if (at > 0 && before !== ";" && !/^[\p{ID_Start}$_\d"'#]/u.test(statement)) continue;
    attempts++;
    const leading = script.slice(0, at);
    if (!compiles(leading) || compiles(`${leading}@;${rest}`)) continue; // not whole, or inside a comment
    if (/^(?:\{|(?:async\s+)?function\b|class\b|let\s*\[)/.test(statement)) return script;
    const bare = rest.replace(/;(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*$/, "");
    const expression = [rest, bare].find((text) => compiles(`(${text}\n)`));
    return expression === undefined ? script : `${leading}return [(${expression}\n)];`;
  }
  return script;
}

/** The source text of all that {@link prepareCell} needs. */
export function cellSource(): string {
  return [
    prepareCell,
    asyncFunction,
    compiles,
    compiled,
    withoutTypes,
    withDynamicImports,
    bound,
    declaredNames,
    withReturnedValue,
  ].map(String).join("\n");
}
