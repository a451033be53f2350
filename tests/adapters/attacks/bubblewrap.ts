/**
 * Why bubblewrap cannot be used here.
 *
 * @returns Nothing if it can.
 */
export async function bubblewrapFault(): Promise<string | undefined> {
  const args = ["--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "true"];
  try {
    const { success, stderr } = await new Deno.Command("bwrap", { args }).output();
    return success ? undefined : new TextDecoder().decode(stderr).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "there is no bwrap";
    throw error;
  }
}
