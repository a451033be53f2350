import { HARMLESS_GLOBALS, PROGRAMS } from "./layers.ts";
import type { Place } from "./place.ts";
import { calleeRoot, declaredNames, runsOnLoad } from "./syntax.ts";

const DECLARATIONS = [
  "ImportDeclaration",
  "ExportAllDeclaration",
  "ExportNamedDeclaration",
  "FunctionDeclaration",
  "TSDeclareFunction",
  "ClassDeclaration",
  "VariableDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
];

/**
 * Importing a published file has no effect: its top level declares, and calls only what the table calls harmless.
 * Where no file may name `Deno`, it may also call a function that the file declares or imports.
 */
export function topLevel(context: Deno.lint.RuleContext, place: Place): Deno.lint.LintVisitor {
  const own = new Set<string>();
  const report = (node: Deno.lint.Node) => {
    const message = `Cannot run this while ${place.path} loads as importing a file has no effect`;
    context.report({ node, message });
  };
  const never = (node: Deno.lint.Node) => {
    if (runsOnLoad(context, node)) report(node);
  };
  const called = (node: Deno.lint.Node, callee: Deno.lint.Expression) => {
    if (!runsOnLoad(context, node)) return;
    const root = calleeRoot(callee);
    const harmless = root === "a value" || HARMLESS_GLOBALS.includes(root) ||
      place.folder.forbids.includes("Deno") && own.has(root);
    if (!harmless) report(node);
  };
  return {
    Program(node) {
      for (const statement of node.body) {
        const whenMain = statement.type === "IfStatement" && PROGRAMS.includes(place.path) &&
          context.sourceCode.getText(statement.test) === "import.meta.main";
        if (!whenMain && !DECLARATIONS.includes(statement.type)) report(statement);
        for (const name of declaredNames(statement)) own.add(name);
      }
    },
    CallExpression: (node) => called(node, node.callee),
    NewExpression: (node) => called(node, node.callee),
    TaggedTemplateExpression: (node) => called(node, node.tag),
    AwaitExpression: never,
    AssignmentExpression: never,
    UpdateExpression: never,
    StaticBlock: report,
  };
}
