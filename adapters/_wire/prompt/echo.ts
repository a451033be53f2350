/** What of a model's own data goes back to it: everything, nothing, or the members of these names. */
export type Echo = "all" | "none" | readonly string[];

/** Whether a member goes back. */
export function goesBack(echo: Echo, name: string): boolean {
  return echo === "all" || (echo !== "none" && echo.includes(name));
}
