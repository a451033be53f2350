/** A place in a JSON value as a program names it, such as `arguments.more.ids[1]`. */
export function pathOf(root: string, steps: readonly (string | number)[]): string {
  return root +
    steps.map((step) =>
      typeof step === "string" && /^[A-Za-z_$][\w$]*$/.test(step)
        ? `.${step}`
        : `[${JSON.stringify(step)}]`
    ).join("");
}
