/** What becomes of a server that dies, and of one whose driver does. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { connectMcpStdio } from "../../../../adapters/mcp_tools.ts";
import { EnvironmentError, type JsonObject } from "../../../../types/mod.ts";
import { IS_WHOLE } from "../../../tasks/fuzz_rounds.ts";
import { isAlive, until } from "../../attacks/driver_process.ts";
import { legacyAnswer, messageOf, modernAnswer } from "../mcp_sides.ts";

/** What a server of an era writes until its tools are listed: a line for each line that it reads, or none. */
function handshake(era: "modern" | "legacy"): readonly string[] {
  const answerOf = era === "modern" ? modernAnswer : legacyAnswer;
  const methods = era === "modern"
    ? ["server/discover", "tools/list"]
    : ["server/discover", "initialize", "notifications/initialized", "tools/list"];
  let id = 0;
  return methods.map((method) => {
    if (method.startsWith("notifications/")) return "";
    const short: Readonly<Record<string, JsonObject>> = {
      initialize: { protocolVersion: "2025-11-25" },
      "tools/list": { tools: [] },
    };
    const answer = short[method] ?? answerOf({ id: 0, method, params: {} });
    return `${JSON.stringify(messageOf(++id, answer))}\n`;
  });
}

/** A shell script that writes this much of the lines, each after it has read one, and ends. */
function dyingAfter(size: number, lines: readonly string[]): string {
  const commands: string[] = [];
  let left = size;
  for (const line of lines) {
    const piece = line.slice(0, left);
    left -= piece.length;
    commands.push("read -r line", `printf %s '${piece.replaceAll("'", `'\\''`)}'`);
    if (piece.length < line.length) break;
  }
  return commands.join("; ");
}

for (const era of ["modern", "legacy"] as const) {
  Deno.test(`connectMcpStdio() rejects where a ${era} server dies at any byte of the opening`, async () => {
    const lines = handshake(era);
    const whole = lines.join("").length;
    const connect = (size: number) =>
      connectMcpStdio({ command: "sh", args: ["-c", dyingAfter(size, lines)], env: {} });
    const ends = [...lines.keys(), lines.length].map((n) => lines.slice(0, n).join("").length);
    const atEnds = ends.flatMap((end) => [end - 1, end, end + 1])
      .filter((size) => size >= 0 && size < whole);
    const sizes = Array.from({ length: whole }, (_, size) => size)
      .filter((size) => IS_WHOLE || size % 40 === 20);
    const next = new Set([...sizes, ...atEnds]).values();
    await Promise.all(Array.from({ length: 4 }, async () => {
      for (const size of next) {
        const refused = assertRejects(
          () => connect(size),
          EnvironmentError,
          "the server ended with",
        );
        await refused.catch((error) =>
          Promise.reject(new Error(`at byte ${size}`, { cause: error }))
        );
      }
    }));
    await (await connect(whole)).close();
  });
}

Deno.test({
  name: "a server ends with its driver, also in the middle of a call",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const program = new URL("driver_program.ts", import.meta.url).pathname;
    const driver = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-lock", "--no-check", "-A", program],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    let said = "";
    for await (const piece of driver.stdout.pipeThrough(new TextDecoderStream())) {
      said += piece;
      if (said.includes("calling")) break;
    }
    const pids = [...said.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
    assertEquals(pids.length, 2);
    for (const pid of pids) assert(isAlive(pid));
    driver.kill("SIGKILL");
    await driver.status;
    for (const pid of pids) await until(() => !isAlive(pid));
  },
});
