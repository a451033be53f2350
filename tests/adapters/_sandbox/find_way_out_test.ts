import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { codeSandbox } from "../../../adapters/code_sandbox.ts";
import { findWayOut } from "../../../adapters/_sandbox/find_way_out.ts";
import type { SandboxPermissions } from "../../../adapters/_sandbox/permissions.ts";
import { EnvironmentError } from "../../../types/mod.ts";
import { execute, LIMITS, never, observe } from "../sandbox_cells.ts";

/** A folder `in` with `own.txt` and `sub/deep`, beside a folder `out`. */
async function inFolder(test: (base: string) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/in/sub/deep`, { recursive: true });
    await Deno.mkdir(`${base}/out`);
    await Deno.writeTextFile(`${base}/in/own.txt`, "own");
    await test(base);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

const find = (permissions: SandboxPermissions): Promise<string | undefined> =>
  findWayOut({ read: [], write: [], net: [], ...permissions }, never);

Deno.test("findWayOut() finds each link that leads out, or would if it were renamed", () =>
  inFolder(async (base) => {
    const links: [path: string, text: string, read: boolean, write: boolean][] = [
      ["l", "own.txt", false, false],
      ["l", "./sub/deep", false, false],
      ["l", `${base}/in/own.txt`, false, false],
      ["l", "nothing", false, false],
      ["l", "l", false, false],
      ["sub/l", "../own.txt", false, true],
      ["sub/deep/l", "..", false, true],
      ["l", "sub/..", false, true],
      ["l", "../in/own.txt", false, true],
      ["l", "../out", true, true],
      ["l", "..", true, true],
      ["sub/deep/l", "../../../out", true, true],
      ["l", `${base}/out`, true, true],
      ["l", `${base}/in/../out`, true, true],
      ["l", `${base}/in2`, true, true],
      ["l", "/nowhere", true, true],
      ["l", "/proc", true, true],
      ["l", "/proc/self/environ", true, true],
      ["l", "/dev/stdin", true, true],
    ];
    for (const [path, text, whenRead, whenWritten] of links) {
      await Deno.symlink(text, `${base}/in/${path}`);
      const read = [`${base}/in`];
      const found = [find({ read }), find({ write: read }), find({ read, write: read })];
      const isFound = (await Promise.all(found)).map((fault) => fault !== undefined);
      assertEquals(isFound, [whenRead, whenWritten, whenWritten], `${path} -> ${text}`);
      await Deno.remove(`${base}/in/${path}`);
    }
  }));

Deno.test("findWayOut() takes a link to another folder that is named, and a named folder that is a link", () =>
  inFolder(async (base) => {
    await Deno.symlink(`${base}/out`, `${base}/in/l`);
    assertEquals(await find({ read: [`${base}/in`, `${base}/out`] }), undefined);
    await Deno.symlink("in", `${base}/also`);
    assertMatch(await find({ read: [`${base}/also`] }) ?? "", /also\/l" leads to .*out/);
    await Deno.remove(`${base}/in/l`);
    await Deno.symlink(`${base}/in/own.txt`, `${base}/in/l`);
    assertEquals(await find({ read: [`${base}/also`] }), undefined);
    assertEquals(await find({ read: [`${base}/none`, "/proc", `${base}/in/own.txt`] }), undefined);
  }));

Deno.test("codeSandbox() does not start where a link leads out, and is ended where one is there after a cell", () =>
  inFolder(async (base) => {
    const folders = [`${base}/in`];
    await using sandbox = codeSandbox({
      ...LIMITS,
      permissions: { read: folders, write: folders },
    });
    await Deno.symlink("/etc", `${base}/in/l`);
    const error = await assertRejects(() => execute(sandbox, "1"), EnvironmentError);
    assertStringIncludes(error.message, `in/l" leads to "/etc"`);
    await Deno.remove(`${base}/in/l`);
    assertEquals(await observe(sandbox, "const kept = 1; kept"), "1");
    await Deno.symlink("../out", `${base}/in/l`);
    const { status, failed, observation } = await execute(sandbox, "kept");
    assertEquals([status, failed], ["executed", true]);
    assertMatch(
      observation,
      /^1\n\[The sandbox was ended as the link ".*in\/l" leads to ".*out"\. All/,
    );
    await Deno.remove(`${base}/in/l`);
    assertEquals(await observe(sandbox, "typeof kept"), '"undefined"');
  }));
