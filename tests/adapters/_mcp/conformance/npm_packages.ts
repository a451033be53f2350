/** What the task needs of npm. */
const PACKAGES = [
  "@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "@modelcontextprotocol/server-everything@2026.8.31",
  "@modelcontextprotocol/server-filesystem@2026.8.31",
  "@modelcontextprotocol/server-memory@2026.8.31",
  "@modelcontextprotocol/server@2.4.0",
  "@modelcontextprotocol/node@2.1.2",
  "zod@4",
];

/** The folder that they are kept in from one time to the next; Git ignores it. */
const FOLDER = decodeURI(new URL("../../../../.polyloop/mcp-packages", import.meta.url).pathname);

/** Fetches the packages, and gives their folder. Absent: there is no npm, or it does not answer. */
export async function fetchPackages(): Promise<string | undefined> {
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(`${FOLDER}/package.json`, '{ "private": true }\n');
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  try {
    const { success } = await new Deno.Command("npm", {
      args: ["install", ...flags, ...PACKAGES],
      cwd: FOLDER,
      stdout: "null",
      stderr: "null",
    }).output();
    return success ? FOLDER : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
