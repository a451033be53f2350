import { sandboxImportMap } from "./import_map.ts";
import type { SandboxIsolation } from "./isolation.ts";
import {
  isWithin,
  permissionFlags,
  type SandboxPermissions,
  SYSTEM_FOLDERS,
} from "./permissions.ts";

/** The whole environment of the process. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
  DENO_DIR: "/dev/null/none",
};

/**
 * Stays as the parent of a command: one with an empty environment, as it may be read in /proc. It says nothing itself,
 * as a shell else does of a command that is killed.
 */
const EMPTY_PARENT = `exec 3<&0 4>&2 2>/dev/null
env -i "$@" <&3 3<&- 2>&4 4>&- &
exec 3<&- 4>&-
wait "$!"`;

/** What a sandbox's process is started with. */
export interface SandboxCommandOptions {
  readonly permissions: Required<SandboxPermissions>;
  readonly isolation: SandboxIsolation;
  /** The memory that it may hold, in MiB. */
  readonly memoryMb: number;
}

/** The command that runs a program in a process of its own, as far from this one as the isolation says. */
export function sandboxCommand(
  program: string,
  { permissions, isolation, memoryMb }: SandboxCommandOptions,
): Deno.Command {
  const run = [
    ...[Deno.execPath(), "run"],
    ...["--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-code-cache"],
    ...[
      "--no-remote",
      "--no-npm",
      "--cached-only",
      `--import-map=${sandboxImportMap()}`,
    ],
    `--v8-flags=--max-old-space-size=${memoryMb}`,
    ...permissionFlags(permissions),
    ...(Deno.build.os === "windows" ? [] : ["read", "write"].map(denySystemFolders)),
    program,
  ];
  const streams = { stdin: "piped", stdout: "piped", stderr: "piped", clearEnv: true } as const;
  if (Deno.build.os === "windows") {
    return new Deno.Command(run[0]!, {
      ...streams,
      args: run.slice(1),
      cwd: "C:\\",
      env: ENVIRONMENT,
    });
  }
  const environment = Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  const apart = isolation === "bubblewrap" ? bubblewrap(permissions) : [];
  return new Deno.Command("sh", {
    ...streams,
    args: ["-c", EMPTY_PARENT, "sh", ...environment, ...apart, ...run],
    // no folder of the parent's, none to clean up, and none above it that could hold a configuration
    cwd: "/",
    detached: true, // a process group of its own, which can be killed as one
  });
}

function denySystemFolders(access: string): string {
  return `--deny-${access}=${SYSTEM_FOLDERS.join(",")}`;
}

/** What a Deno needs of the system beside its own executable: the libraries that it is linked to. */
const LIBRARIES = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/nix/store"];
/** What it needs to find hosts and to trust them. */
const NETWORK_FILES = [
  ...["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"],
  ...["/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/share/ca-certificates"],
];

/** The words of bubblewrap that go before a command. */
function bubblewrap({ read, write, net }: Required<SandboxPermissions>): readonly string[] {
  const bindIfThere = (path: string) => ["--ro-bind-try", path, path];
  const executable = Deno.execPath();
  const folders = [...new Set([...read, ...write])]
    .filter((path) => !SYSTEM_FOLDERS.some((folder) => isWithin(path, folder)))
    .sort((a, b) => a.length - b.length) // a folder before those in it
    .map((path) => [
      write.some((folder) => isWithin(path, folder)) ? "--bind" : "--ro-bind",
      path,
      path,
    ]);
  const all = folders.filter(([, path]) => path === "/");
  return [
    ...["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--clearenv"],
    ...(net.length > 0 ? ["--share-net"] : []),
    ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ["--setenv", name, value]),
    ...all.flat(),
    ...LIBRARIES.flatMap(bindIfThere),
    ...(net.length > 0 ? NETWORK_FILES.flatMap(bindIfThere) : []),
    ...["--ro-bind", executable, executable],
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...folders.filter(([, path]) => path !== "/").flat(),
    ...["--chdir", "/", "--"],
  ];
}
