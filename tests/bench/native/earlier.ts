/** The last commit before runs could be drained, leased and edited, and do several actions at once. */
const BEFORE_FEATURES = "b9d35e3";

/**
 * Has the library's program as it was before those features, so that what a run pays shows that uses none of them. Absent:
 * there is no git, or no such commit in it.
 */
export async function withEarlierPeer<T>(
  body: (peer: URL) => Promise<T>,
): Promise<T | undefined> {
  const folder = Deno.makeTempDirSync();
  try {
    const isThere = await succeeds("git", "archive", "-o", `${folder}/tree.tar`, BEFORE_FEATURES) &&
      await succeeds("tar", "-xf", `${folder}/tree.tar`, "-C", folder);
    return isThere ? await body(new URL(`file://${folder}/tests/bench/peer.ts`)) : undefined;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function succeeds(program: string, ...args: readonly string[]): Promise<boolean> {
  const cwd = new URL("../../..", import.meta.url);
  try {
    const { success } = await new Deno.Command(program, { args: [...args], cwd, stderr: "null" })
      .output();
    return success;
  } catch {
    return false;
  }
}
