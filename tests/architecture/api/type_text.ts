/** A part of what `deno doc --json` gives. */
// deno-lint-ignore no-explicit-any -- its shape differs by kind, and an unknown kind is refused
export type Doc = any;

/** A type as it is written, without the names of parameters. */
export function typeText(type: Doc): string {
  if (type === undefined) return "unwritten";
  const { kind, value } = type;
  switch (kind) {
    case "keyword":
    case "typeQuery":
      return kind === "typeQuery" ? `typeof ${value}` : value;
    case "this":
      return "this";
    case "literal":
      return JSON.stringify(value[value.kind]);
    case "typeRef":
      return `${value.typeName}${listText(value.typeParams, "<", ">")}`;
    case "array":
      return `${typeText(value)}[]`;
    case "tuple":
      return `[${value.map(typeText).join(", ")}]`;
    case "union":
      return value.map(typeText).sort().join(" | ");
    case "intersection":
      return value.map(typeText).sort().join(" & ");
    case "parenthesized":
      return `(${typeText(value)})`;
    case "optional":
      return `${typeText(value)}?`;
    case "rest":
      return `...${typeText(value)}`;
    case "typeOperator":
      return `${value.operator} ${typeText(value.tsType)}`;
    case "indexedAccess":
      return `${typeText(value.objType)}[${typeText(value.indexType)}]`;
    case "infer":
      return `infer ${value.typeParam.name}`;
    case "conditional":
      return `${typeText(value.checkType)} extends ${typeText(value.extendsType)} ? ${
        typeText(value.trueType)
      } : ${typeText(value.falseType)}`;
    case "mapped":
      return `{ ${value.readonly ? "readonly " : ""}[${value.typeParam.name} in ${
        typeText(value.typeParam.constraint)
      }${value.nameType ? ` as ${typeText(value.nameType)}` : ""}]${value.optional ? "?" : ""}: ${
        typeText(value.tsType)
      } }`;
    case "fnOrConstructor":
      return `${value.constructor ? "new " : ""}${typeParamsText(value.typeParams)}(${
        value.params.map(paramText).join(", ")
      }) => ${typeText(value.tsType)}`;
    case "typePredicate":
      return `${value.asserts ? "asserts " : ""}is ${typeText(value.type)}`;
    case "typeLiteral":
      return `{ ${literalMembers(value).join("; ")} }`;
    default:
      throw new TypeError(`Cannot write a type as its kind is unknown: "${kind}"`);
  }
}

/** A parameter's type, with a mark where it may be left out. */
export function paramText(param: Doc): string {
  if (param.kind === "rest") return `...${typeText(param.tsType ?? param.arg?.tsType)}`;
  return `${isOptional(param) ? "?" : ""}${typeText(param.tsType ?? param.left?.tsType)}`;
}

/** Whether a parameter may be left out. */
export function isOptional(param: Doc): boolean {
  return param.kind === "assign" || param.kind === "rest" || param.optional === true;
}

/** Type parameters with their bounds and defaults; nothing if there are none. */
export function typeParamsText(params: readonly Doc[] | undefined): string {
  return listText(
    params?.map(({ name, constraint, default: fallback }) => ({
      kind: "keyword",
      value: `${name}${constraint ? ` extends ${typeText(constraint)}` : ""}${
        fallback ? ` = ${typeText(fallback)}` : ""
      }`,
    })),
    "<",
    ">",
  );
}

function listText(types: readonly Doc[] | undefined, open: string, close: string): string {
  return types?.length ? `${open}${types.map(typeText).join(", ")}${close}` : "";
}

function literalMembers(value: Doc): readonly string[] {
  const members: string[] = [];
  for (const { readonly, params, tsType } of value.indexSignatures ?? []) {
    members.push(`${readonly ? "readonly " : ""}[${params.map(paramText)}]: ${typeText(tsType)}`);
  }
  for (const { name, readonly, optional, tsType } of value.properties ?? []) {
    members.push(
      `${readonly ? "readonly " : ""}${name}${optional ? "?" : ""}: ${typeText(tsType)}`,
    );
  }
  for (const { name, optional, params, returnType } of value.methods ?? []) {
    members.push(
      `${name}${optional ? "?" : ""}(${params.map(paramText).join(", ")}): ${typeText(returnType)}`,
    );
  }
  for (const { params, tsType } of value.callSignatures ?? []) {
    members.push(`(${params.map(paramText).join(", ")}): ${typeText(tsType)}`);
  }
  return members.sort();
}
