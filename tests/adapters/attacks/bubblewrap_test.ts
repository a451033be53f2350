import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { EnvironmentError, InvalidRequestError } from "../../../types/mod.ts";
import { say } from "../../tasks/say.ts";
import { type Attack, makeTarget, type Target } from "./attack.ts";
import { READING_ATTACKS, WRITING_ATTACKS } from "./file_attacks.ts";
import { tryAttacks } from "./try_attacks.ts";
import { bubblewrapFault } from "./bubblewrap.ts";
import { execute, LIMITS, observe } from "../sandbox_cells.ts";

const fault = await bubblewrapFault();
if (fault !== undefined) say(`skipped: isolation "bubblewrap", as ${fault}`);
const ignore = fault !== undefined;
const isolation = "bubblewrap";
const { timeoutMs } = LIMITS;

/** Runs a test with a target, and removes that. */
async function withTarget(test: (target: Target) => Promise<void>): Promise<void> {
  const target = await makeTarget();
  try {
    await test(target);
  } finally {
    await target.remove();
  }
}

/** The process with this mark in its environment's place of work, as the system outside sees it. */
function processOf(group: string): string {
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (command.includes(group) && command.includes("\0run\0") && !command.includes("bwrap")) {
        return name;
      }
    } catch { /* it has ended meanwhile */ }
  }
  throw new Error("There is no such process");
}

Deno.test({
  name:
    "codeSandbox() under bubblewrap runs code as without, and takes links as they are: they lead nowhere",
  ignore,
  fn: () =>
    withTarget(async ({ folder, outside }) => {
      await Deno.symlink(outside, `${folder}/l`);
      const permissions = { read: [folder], write: [folder] };
      await using sandbox = codeSandbox({ ...LIMITS, isolation, permissions });
      assertEquals(await observe(sandbox, "const kept: number = 1; kept + 1", "ts"), "2");
      const path = JSON.stringify(`${folder}/new.txt`);
      const code = `Deno.writeTextFileSync(${path}, "new"); Deno.readTextFileSync(${path}) + kept`;
      assertEquals(await observe(sandbox, code), '"new1"');
      assertEquals(await Deno.readTextFile(`${folder}/new.txt`), "new");
      const secret = JSON.stringify(`${folder}/l/secret.txt`);
      assertStringIncludes(await observe(sandbox, `Deno.readTextFileSync(${secret})`), "NotFound");
    }),
});

Deno.test({
  name: "codeSandbox() under bubblewrap has a process that sees nothing but what is named",
  ignore,
  fn: () =>
    withTarget(async ({ folder, outside }) => {
      const permissions = { read: [folder] };
      await using sandbox = codeSandbox({ ...LIMITS, isolation, permissions });
      assertEquals(await observe(sandbox, "process.ppid"), "1");
      const process = `/proc/${processOf(folder)}`;
      const root = `${process}/root`;
      assertEquals(await Deno.readTextFile(`${root}${folder}/own.txt`), "own");
      await assertRejects(() => Deno.stat(`${root}${outside}`), Deno.errors.NotFound);
      await assertRejects(() => Deno.stat(`${root}/etc/passwd`), Deno.errors.NotFound);
      const mounts = await Deno.readTextFile(`${process}/mountinfo`);
      const own = mounts.split("\n").find((line) => line.includes(` ${folder} `));
      assert(/ ro[, ]/.test(own ?? ""), own);
      const interfaces = await Deno.readTextFile(`${process}/net/dev`);
      assertEquals([...interfaces.matchAll(/^ *(\w+):/gm)].map(([, name]) => name), ["lo"]);
      for (const kind of ["mnt", "pid", "ipc", "net", "user"]) {
        const [its, ours] = [`${process}/ns/${kind}`, `/proc/self/ns/${kind}`].map(
          Deno.readLinkSync,
        );
        assert(its !== ours, kind);
      }
    }),
});

Deno.test({
  name: "codeSandbox() under bubblewrap holds against attacks on files",
  ignore,
  fn: () =>
    withTarget(async (target) => {
      const attacks: readonly Attack[] = [...READING_ATTACKS, ...WRITING_ATTACKS];
      const permissions = { read: [target.folder], write: [target.folder] };
      assertEquals(await tryAttacks(attacks, target, { timeoutMs, permissions, isolation }), []);
    }),
});

Deno.test({
  name: "codeSandbox() does not run code where bubblewrap cannot start",
  ignore: Deno.build.os !== "linux",
  async fn() {
    // where bubblewrap is not there at all, that is why
    const permissions = { read: ["/there/is/no/such/folder"] };
    await using sandbox = codeSandbox({ ...LIMITS, isolation, permissions });
    const { message } = await assertRejects(() => execute(sandbox, "1"), EnvironmentError);
    assertStringIncludes(message, "bwrap");
  },
});

Deno.test("codeSandbox() tells its isolation in parameters(), and refuses one that it does not know", () => {
  assertEquals(codeSandbox(LIMITS).parameters().isolation, "deno");
  if (Deno.build.os === "linux") {
    assertEquals(codeSandbox({ ...LIMITS, isolation }).parameters().isolation, "bubblewrap");
  }
  const unknown = { ...LIMITS, isolation: "docker" as "deno" };
  assertThrows(() => codeSandbox(unknown), InvalidRequestError, '"docker"');
});
