type Node = Deno.lint.Node;

/** The specifier of an import, export or type import. Absent: it has none, or one that is computed. */
export function importOf(node: Node): string | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return node.source.value;
    case "ExportNamedDeclaration":
      return node.source?.value;
    case "ImportExpression":
      return literalText(node.source);
    case "TSImportType":
      return node.argument.type === "TSLiteralType"
        ? literalText(node.argument.literal)
        : literalText(node.argument);
    case "TSExternalModuleReference":
      return literalText(node.expression);
    default:
      return undefined;
  }
}

function literalText(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || node.quasis.length !== 1) return undefined;
  return node.quasis[0]!.cooked;
}

/** What a node names, as an identifier or as a text between brackets. */
export function nameOf(node: Node): string | undefined {
  return node.type === "Identifier" ? node.name : literalText(node);
}

/** Whether a node names one of these. */
export function isName(node: Node, names: readonly string[]): boolean {
  return names.includes(nameOf(node) ?? "");
}

/** Whether an identifier stands for a variable or a type, rather than for a member of something. */
export function isNaming(node: Deno.lint.Identifier): boolean {
  const { parent } = node;
  switch (parent.type) {
    case "MemberExpression":
      return parent.property.range[0] !== node.range[0] || parent.computed;
    case "TSQualifiedName":
      return parent.left.range[0] === node.range[0];
    case "Property":
      return parent.key.range[0] !== node.range[0] || parent.computed || parent.shorthand;
    case "PropertyDefinition":
    case "MethodDefinition":
    case "TSPropertySignature":
    case "TSMethodSignature":
    case "TSAbstractMethodDefinition":
      return parent.key.range[0] !== node.range[0] || parent.computed;
    default:
      return true;
  }
}

/** Whether a node runs, or is bound, while its file loads: it is in no function, and not guarded. */
export function runsOnLoad(context: Deno.lint.RuleContext, node: Node): boolean {
  return context.sourceCode.getAncestors(node).every((ancestor) =>
    !LATER.includes(ancestor.type) &&
    !(ancestor.type === "PropertyDefinition" && !ancestor.static)
  );
}

const LATER = [
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "IfStatement",
];

/** What a call starts from: `Object` of `Object.freeze`, or `a value` where it is a literal; else nothing known. */
export function calleeRoot(callee: Node): string {
  switch (callee.type) {
    case "Identifier":
      return callee.name;
    case "MemberExpression":
      return calleeRoot(callee.object);
    case "CallExpression":
    case "NewExpression":
      return calleeRoot(callee.callee);
    case "ArrayExpression":
    case "Literal":
    case "TemplateLiteral":
      return "a value";
    default:
      return "";
  }
}

/** The names that a statement at the top level binds. */
export function declaredNames(statement: Deno.lint.Statement): readonly string[] {
  switch (statement.type) {
    case "ImportDeclaration":
      return statement.specifiers.map(({ local }) => local.name);
    case "ExportNamedDeclaration":
      return statement.declaration ? declaredNames(statement.declaration) : [];
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return statement.id ? [statement.id.name] : [];
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id }) => id.type === "Identifier" ? [id.name] : []);
    default:
      return [];
  }
}
