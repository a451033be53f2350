/** Selects the calls of a method of that name. */
export const methodCall = (name: string): string =>
  `CallExpression[callee.property.name="${name}"]`;

/** Selects what makes a record of that type. */
export const recordOf = (type: string): string =>
  `ObjectExpression:has(> Property[key.name="type"] > Literal[value="${type}"])`;
