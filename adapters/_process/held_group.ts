/** A process group that ends when this process does. */
export interface HeldGroup {
  /**
   * Lets each process of the group take so much more memory than it has, in MiB: the system gives it no more. Where
   * there is no /proc or no `prlimit` (util-linux), nothing happens.
   */
  limitMemory(mib: number): Promise<void>;
  /** Kills all of the group, and waits until that is done. */
  kill(): Promise<void>;
}

/**
 * Waits for the end of its stdin, which comes when this process lets go of it or dies, be it by SIGKILL. Then it kills
 * the group $1 and, where there is /proc, whatever descends from it: also what made a session of its own, as long as
 * its parents live. The group is stopped as one, and any other process when it is found, so that none starts a further
 * one; it is looked again where one was found, as it may have started others until then. A line of stdin is a limit of
 * memory in KiB; when it holds, a line is written. There may be many processes: one `cat` reads them, as a shell's
 * `read` takes a system call for each byte, and what follows a name is found by short steps, as `##` is slow.
 */
const WATCHER = `
set -f
group=$1
fields=$IFS
lines='
'
look() {
  stats=$(set +f; cat /proc/[0-9]*/stat 2>/dev/null)
}
processes() { # calls $1 with the id of each process that was seen, its parent's and its group's
  IFS=$lines
  for stat in $stats; do
    IFS=$fields
    rest=$stat
    while case $rest in *") "*) ;; *) false ;; esac; do rest=\${rest#*) }; done
    set -- "$1" "\${stat%% *}" $rest
    "$1" "$2" "$4" "$5"
  done
  IFS=$fields
}
limit() {
  [ "$3" = "$group" ] || return 0
  while read -r name size _; do
    [ "$name" = VmData: ] || continue
    prlimit --pid "$1" --data="$(((size + more) * 1024))"
    break
  done <"/proc/$1/status"
}
stop() {
  case "$found" in *" $1 "*) return 0 ;; esac
  if [ "$3" != "$group" ]; then
    case "$found" in *" $2 "*) ;; *) return 0 ;; esac
    kill -s STOP "$1"
    astray=1
  fi
  found="$found$1 "
  again=1
}
while read -r more; do
  look
  processes limit
  echo
done
kill -s STOP -- "-$group" || exit
found=" "
astray=1
while [ -n "$astray" ]; do
  astray=
  look
  again=1
  while [ -n "$again" ]; do
    again=
    processes stop
  done
done
kill -s KILL -- "-$group" $found
`;

/** Lets a group end with this process. Its leader must be a child of this process that has not yet been waited for. */
export function holdGroup(leader: number): HeldGroup {
  const watcher = new Deno.Command("sh", {
    args: ["-c", WATCHER, "sh", String(leader)],
    cwd: "/",
    clearEnv: true,
    detached: true, // what ends this process's group, as Ctrl-C in a terminal, must not end it
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const stdin = watcher.stdin.getWriter();
  const stdout = watcher.stdout.getReader();
  const killOnce = async (): Promise<void> => {
    await stdin.close().catch(() => {}); // it may have been killed
    await watcher.status;
    await stdout.cancel();
    killGroup(leader);
  };
  let killed: Promise<void> | undefined;
  return {
    async limitMemory(mib) {
      await stdin.write(new TextEncoder().encode(`${mib * 1024}\n`)).catch(() => {});
      await stdout.read();
    },
    kill: () => killed ??= killOnce(),
  };
}

/** The watcher has done it already, but where it was killed itself. That needs `--allow-run` for any program. */
function killGroup(leader: number): void {
  try {
    Deno.kill(-leader, "SIGKILL");
  } catch (error) {
    const isNobodyLeft = error instanceof Deno.errors.NotFound;
    if (!isNobodyLeft && !(error instanceof Deno.errors.NotCapable)) throw error;
  }
}
