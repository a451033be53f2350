/** Whether this process may mount: only then is a disk that is full, or read-only, a real one. */
export const mayMount: boolean = Deno.build.os === "linux" && canMount();

/** Gives a body a disk of a few hundred kilobytes, and a way to make it read-only or writable again. */
export async function withSmallDisk(
  kilobytes: number,
  body: (dir: string, remount: (mode: "ro" | "rw") => void) => Promise<void>,
): Promise<void> {
  const dir = Deno.makeTempDirSync();
  run("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", dir);
  try {
    await body(dir, (mode) => run("mount", "-o", `remount,${mode}`, dir));
  } finally {
    run("umount", dir);
    Deno.removeSync(dir);
  }
}

function canMount(): boolean {
  const dir = Deno.makeTempDirSync();
  try {
    run("mount", "-t", "tmpfs", "tmpfs", dir);
    run("umount", dir);
    return true;
  } catch {
    return false;
  } finally {
    Deno.removeSync(dir);
  }
}

function run(command: string, ...args: string[]): void {
  const { success, stderr } = new Deno.Command(command, { args }).outputSync();
  if (!success) throw new Error(`${command} failed: ${new TextDecoder().decode(stderr)}`);
}
