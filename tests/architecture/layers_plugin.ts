/**
 * The rules of `layers.ts` for one file at a time, as a lint plugin: for the editor and `deno lint`, and for the
 * layers test, which runs it where no comment silences it.
 *
 * @module
 */
import { importFault } from "./import_fault.ts";
import { ASKING, ASKS_AGAIN, LOADERS, NOT_IN_NODE_22, PROGRAMS } from "./layers.ts";
import { nameFault, pathFromRoot, type Place, placeOf } from "./place.ts";
import { purity } from "./purity.ts";
import { importOf, isName, isNaming } from "./syntax.ts";
import { topLevel } from "./top_level.ts";

type Context = Deno.lint.RuleContext;
type Visitor = Deno.lint.LintVisitor;

/** The plugin for the tree under a root. */
export function layersPlugin(root: URL): Deno.lint.Plugin {
  const rule = (create: (context: Context, place: Place) => Visitor): Deno.lint.Rule => ({
    create(context) {
      const path = pathFromRoot(root, context.filename);
      const place = path === undefined ? undefined : placeOf(path);
      return place === undefined ? {} : create(context, place);
    },
  });
  const published = (create: (context: Context, place: Place) => Visitor): Deno.lint.Rule =>
    rule((context, place) => place.folder.published ? create(context, place) : {});
  return {
    name: "layers",
    rules: {
      names: names(root),
      imports: rule(imports),
      "computed-import": published(computedImport),
      "other-imports": published(otherImports),
      silencing: rule(silencing),
      globals: published(globals),
      purity: published((context, place) => place.folder.pure ? purity(context) : {}),
      "top-level": published(topLevel),
      "mod-file": published(modFile),
      "one-fetch": published(oneFetch),
      "asks-again": published(asksAgain),
      "spread-call": published(spreadCall),
      "oldest-node": published(oldestNode),
    },
  };
}

const plugin: Deno.lint.Plugin = layersPlugin(new URL("../../", import.meta.url));
export default plugin;

function names(root: URL): Deno.lint.Rule {
  return {
    create: (context) => ({
      Program(node) {
        const path = pathFromRoot(root, context.filename);
        const fault = path === undefined ? undefined : nameFault(path);
        if (fault !== undefined) {
          context.report({ node, message: `Cannot keep "${path}" here as ${fault}` });
        }
      },
    }),
  };
}

function imports(context: Context, place: Place): Visitor {
  const check = (node: Deno.lint.Node) => {
    const specifier = importOf(node);
    const fault = specifier === undefined ? undefined : importFault(place, specifier);
    if (fault === undefined) return;
    context.report({ node, message: `Cannot import "${specifier}" in ${place.path} as ${fault}` });
  };
  return {
    ImportDeclaration: check,
    ExportAllDeclaration: check,
    ExportNamedDeclaration: check,
    ImportExpression: check,
    TSImportType: check,
    TSExternalModuleReference: check,
  };
}

function computedImport(context: Context, place: Place): Visitor {
  return {
    ImportExpression(node) {
      if (importOf(node) !== undefined || LOADERS.includes(place.path)) return;
      const message = `Cannot import a computed name in ${place.path} as nobody can see what it is`;
      context.report({ node, message });
    },
  };
}

/** Ways to import, or to change what others import, that look like something else. */
function otherImports(context: Context, place: Place): Visitor {
  const report = (node: Deno.lint.Node) =>
    context.report({
      node,
      message: `Cannot use this form in ${place.path} as only import and export are seen by all`,
    });
  return {
    TSModuleDeclaration: report,
    TSImportEqualsDeclaration: report,
    TSExportAssignment: report,
    Program(node) {
      for (const { value } of context.sourceCode.getAllComments()) {
        if (/^\/\s*<(?:reference|amd)|@(?:deno|ts)-types\b|@jsxImportSource\b/.test(value)) {
          report(node);
        }
      }
    },
  };
}

function silencing(context: Context, place: Place): Visitor {
  return {
    Program(node) {
      for (const { value } of context.sourceCode.getAllComments()) {
        const codes = /^\s*deno-lint-ignore(?:-file)?\b(.*)$/.exec(value.split("--")[0]!)?.[1];
        if (codes === undefined || (codes.trim() !== "" && !codes.includes("layers/"))) continue;
        const message = `Cannot silence the rules of the house in ${place.path}: move the code`;
        context.report({ node, message });
      }
    },
  };
}

function globals(context: Context, { path, name, folder }: Place): Visitor {
  const mayNameDeno = folder.deno?.some((start) => path.startsWith(start)) ?? true;
  const forbidden = [...folder.forbids, ...(mayNameDeno ? [] : ["Deno"])];
  return {
    Identifier(node) {
      if (!forbidden.includes(node.name) || !isNaming(node)) return;
      const message = `Cannot name "${node.name}" in ${path} as "${name}" does without`;
      context.report({ node, message });
    },
  };
}

/** What `mod.ts` re-exports: of session what makes runs alone, so that its import loads nothing that reads logs. */
export const MAIN_SOURCES: readonly string[] = [
  "./types/mod.ts",
  "./ports/mod.ts",
  "./logic/tools/mod.ts",
  "./session/define_agent.ts",
  "./session/define_run.ts",
  "./session/run.ts",
  "./session/run_options.ts",
];

function modFile(context: Context, place: Place): Visitor {
  if (!place.path.endsWith("mod.ts")) return {};
  const report = (node: Deno.lint.Node, why: string) =>
    context.report({ node, message: `Cannot keep this in ${place.path} as ${why}` });
  return {
    Program(node) {
      const documented = context.sourceCode.getAllComments()
        .some(({ type, value }) => type === "Block" && /^\*[^]*@module\b/.test(value));
      if (!documented) report(node, "a mod.ts begins with the doc comment of its module");
      const program = PROGRAMS.includes(place.path);
      const sources: (string | undefined)[] = [];
      for (const statement of node.body) {
        const source = importOf(statement);
        sources.push(source);
        const reExport = statement.type.startsWith("Export") && source !== undefined;
        const mainPart = statement.type === "ImportDeclaration" ||
          statement.type === "IfStatement" ||
          statement.type === "ExportNamedDeclaration" && statement.declaration === null;
        if (!reExport && !(program && mainPart)) report(statement, "a mod.ts only re-exports");
      }
      if (place.name !== ".") return;
      if (sources.sort().join() !== MAIN_SOURCES.toSorted().join()) {
        report(node, `it re-exports exactly ${MAIN_SOURCES.join(", ")}`);
      }
    },
  };
}

/** A list that is spread into a call is as many arguments: a long one ends the call with an overflow of the stack. */
function spreadCall(context: Context): Visitor {
  const look = (node: Deno.lint.CallExpression | Deno.lint.NewExpression) => {
    for (const argument of node.arguments) {
      if (argument.type !== "SpreadElement") continue;
      context.report({
        node: argument,
        message:
          "Cannot spread a list into a call as it may be longer than a call can take: loop over it",
      });
    }
  };
  return { CallExpression: look, NewExpression: look };
}

/** What Node 22 cannot read or does not have: packing takes the types off, and changes nothing else. */
function oldestNode(context: Context, place: Place): Visitor {
  const report = (node: Deno.lint.Node, form: string) => {
    const message = `Cannot use "${form}" in ${place.path} as Node 22 does not have it`;
    context.report({ node, message });
  };
  return {
    VariableDeclaration(node) {
      if (node.kind.endsWith("using")) report(node, node.kind);
    },
    MemberExpression(node) {
      const member = context.sourceCode.getText(node);
      if (NOT_IN_NODE_22.includes(member)) report(node, member);
    },
  };
}

/** The library makes one request a call: whoever wants more asks again. */
function oneFetch(context: Context, place: Place): Visitor {
  if (place.name !== "adapters") return {};
  let fetches = 0;
  const found = (node: Deno.lint.Node) => {
    const looped = context.sourceCode.getAncestors(node).some(({ type }) => LOOPS.test(type));
    fetches += 1;
    if (fetches === 1 && !looped) return;
    const message = `Cannot fetch again in ${place.path} as an adapter makes one request a call`;
    context.report({ node, message });
  };
  return {
    Identifier(node) {
      if (node.name === "fetch" && isNaming(node) && node.parent.type !== "TSTypeQuery") {
        found(node);
      }
    },
    MemberExpression(node) {
      if (isName(node.property, ["fetch"])) found(node);
    },
  };
}

const LOOPS = /^(?:For|While|DoWhile)/;

/** Nothing in an adapter asks a model or a server in a loop, but for what the table names. */
function asksAgain(context: Context, place: Place): Visitor {
  if (place.name !== "adapters" || Object.hasOwn(ASKS_AGAIN, place.path)) return {};
  return {
    CallExpression(node) {
      const { callee } = node;
      const asked = callee.type === "MemberExpression" ? callee.property : callee;
      const looped = context.sourceCode.getAncestors(node).some(({ type }) => LOOPS.test(type));
      const isAsking = asked.type === "PrivateIdentifier"
        ? ASKING.includes(asked.name)
        : isName(asked, ASKING);
      if (!looped || !isAsking) return;
      const message = `Cannot ask in a loop in ${place.path} as the table names no reason for it`;
      context.report({ node, message });
    },
  };
}
