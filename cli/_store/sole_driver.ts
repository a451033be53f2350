/** What makes a process known as the one that drives runs in a store that is a file. */
export interface SoleDriver {
  /** The name of its leases. Absent: another process that lives has that name. */
  readonly leaseOwner?: string;
  /** Leaves the name to others. */
  close(): void;
}

const NOBODY: SoleDriver = { close() {} };

/**
 * Takes the name by which the command line has leases in a store, if no process has it that lives: one that is started
 * again after a kill then goes on with its run at once. A lock on a file beside the store's tells, as it ends with its
 * process.
 */
export function soleDriver(path: string): SoleDriver {
  const name = `${path}-driver`;
  try {
    const file = Deno.openSync(name, { read: true, write: true, create: true });
    if (!file.tryLockSync(true) || !isStillNamed(file, name)) {
      file.close();
      return NOBODY;
    }
    return {
      leaseOwner: "polyloop-cli",
      close() {
        Deno.removeSync(name);
        file.unlockSync();
        file.close();
      },
    };
  } catch {
    // Where there can be no such file the store itself says what is wrong, or a lease is waited for.
    return NOBODY;
  }
}

/** Whether a file that is locked now was not removed by the process that had it before. */
function isStillNamed(file: Deno.FsFile, name: string): boolean {
  const [{ dev, ino }, named] = [file.statSync(), Deno.statSync(name)];
  return named.dev === dev && named.ino === ino;
}
