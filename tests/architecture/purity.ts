import { IMPURE_MEMBERS } from "./layers.ts";
import { isName, runsOnLoad } from "./syntax.ts";

/** What no pure module has beside the globals that it does not name: promises, chance, locale, state of its own. */
export function purity(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const report = (node: Deno.lint.Node, what: string) =>
    context.report({ node, message: `Cannot have ${what} in a pure module` });
  const notAsync = (node: Deno.lint.Node & { readonly async: boolean }) => {
    if (node.async) report(node, "an async function");
  };
  const readonlyAliases = new Set<string>();
  return {
    Program(node) {
      for (const statement of node.body) {
        const alias = statement.type === "ExportNamedDeclaration"
          ? statement.declaration
          : statement;
        if (alias?.type !== "TSTypeAliasDeclaration") continue;
        if (isReadonly(alias.typeAnnotation, readonlyAliases)) readonlyAliases.add(alias.id.name);
      }
    },
    FunctionDeclaration: notAsync,
    FunctionExpression: notAsync,
    ArrowFunctionExpression: notAsync,
    AwaitExpression: (node) => report(node, "await"),
    ForOfStatement(node) {
      if (node.await) report(node, "await");
    },
    MemberExpression(node) {
      if (isName(node.property, IMPURE_MEMBERS)) report(node, "chance or locale");
    },
    Property(node) {
      if (isName(node.key, IMPURE_MEMBERS)) report(node, "chance or locale");
    },
    VariableDeclaration(node) {
      if (!runsOnLoad(context, node)) return;
      const stateful = node.kind !== "const" ||
        node.declarations.some((declarator) => holdsState(declarator, readonlyAliases));
      if (stateful) report(node, "state of its own: freeze it, or give it a readonly type");
    },
    PropertyDefinition(node) {
      if (node.static && !node.readonly) report(node, "state of its own");
    },
  };
}

function holdsState(
  { id, init }: Deno.lint.VariableDeclarator,
  readonlyAliases: ReadonlySet<string>,
): boolean {
  const type = id.type === "Identifier" ? id.typeAnnotation?.typeAnnotation : undefined;
  return init === null ||
    !(type !== undefined && isReadonly(type, readonlyAliases)) && isMutable(init);
}

function isMutable(value: Deno.lint.Expression): boolean {
  switch (value.type) {
    case "TSAsExpression":
      return !(value.typeAnnotation.type === "TSTypeReference" &&
        isName(value.typeAnnotation.typeName, ["const"])) && isMutable(value.expression);
    case "TSSatisfiesExpression":
      return isMutable(value.expression);
    case "CallExpression":
      return !(value.callee.type === "MemberExpression" &&
        isName(value.callee.object, ["Object"]) && isName(value.callee.property, ["freeze"]));
    case "Literal":
      return "regex" in value && /[gy]/.test(value.regex?.flags ?? "");
    case "ArrayExpression":
    case "ObjectExpression":
    case "NewExpression":
    case "ClassExpression":
      return true;
    default:
      return false;
  }
}

const READONLY_TYPES = ["Readonly", "ReadonlyArray", "ReadonlySet", "ReadonlyMap"];

function isReadonly(type: Deno.lint.TypeNode, aliases: ReadonlySet<string>): boolean {
  if (type.type === "TSTypeOperator") return type.operator === "readonly";
  return type.type === "TSTypeReference" && isName(type.typeName, [...READONLY_TYPES, ...aliases]);
}
