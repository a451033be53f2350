/**
 * A server over stdio that does one thing wrong, or none: its first argument names the fault, its second the era.
 *
 * @module
 */
import type { JsonObject } from "../../../../types/mod.ts";
import { say } from "../../../tasks/say.ts";
import { type Asked, legacyAnswer, messageOf, modernAnswer, textResult } from "../mcp_sides.ts";

const [fault = "none", era = "modern"] = Deno.args;
const answerOf = era === "legacy" ? legacyAnswer : modernAnswer;
const encoder = new TextEncoder();

/** Writes all of a text, however much is taken at once. */
async function write(text: string): Promise<void> {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await Deno.stdout.write(bytes));
}

const send = (message: JsonObject): Promise<void> => write(`${JSON.stringify(message)}\n`);
const ping = (id: string): JsonObject => ({ jsonrpc: "2.0", id, method: "ping" });

/** What is done in the place of answering a call, by the fault's name. */
const CALL_FAULTS: Readonly<Record<string, (id: number) => Promise<void>>> = {
  silent: () => Promise.resolve(),
  "stubborn-and-silent": () => Promise.resolve(),
  "wrong-ids": async (id) => {
    await send(messageOf(id + 1_000, textResult("another's")));
    await send({ ...messageOf(id, textResult("text")), id: String(id) });
    await send({ jsonrpc: "2.0", id, result: 5 });
    const twice = ["mine", "late"].map((text) => JSON.stringify(messageOf(id, textResult(text))));
    await write(twice.map((line) => `${line}\n`).join(""));
  },
  dies: () => {
    say(`fatal: the token ${Deno.env.get("API_TOKEN")} is not valid`);
    Deno.exit(3);
  },
  "long-line": async () => {
    const piece = "x".repeat(1_000_000);
    for (let i = 0; i < 100; i++) await write(piece);
    await write("\n");
  },
  environment: async (id) => {
    await send(messageOf(id, textResult(JSON.stringify(Deno.env.toObject()))));
  },
  pings: async (id) => {
    for (let i = 0; i < 200; i++) await send(ping(`p${i}`));
    await send(messageOf(id, textResult("after the pings")));
  },
};

const isStubborn = fault.startsWith("stubborn");
if (isStubborn) {
  Deno.addSignalListener("SIGTERM", () => {});
  const child = new Deno.Command("sleep", { args: ["1000"], stdin: "null", stdout: "null" })
    .spawn();
  say(`pid ${Deno.pid}\npid ${child.pid}`);
}

let rest = "";
for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const asked: Asked = { params: {}, ...JSON.parse(line) };
    if (asked.method === undefined) say(`answered ${line}`);
    if (asked.method === "notifications/cancelled") say(`cancelled ${line}`);
    if (asked.id === undefined || asked.method === undefined) continue;
    if (fault === "noise") {
      say("noise");
      await write('Listening…\n\n\r\n\0\x1b[31m{"jsonrpc":\n[]\n{"id":1}\nnull\n');
    }
    if (fault === "mute") continue;
    const instead = asked.method === "tools/call" ? CALL_FAULTS[fault] : undefined;
    await (instead?.(asked.id) ?? send(messageOf(asked.id, answerOf(asked))));
  }
}
if (isStubborn) setInterval(() => {}, 1_000);
