/** What cannot be taken is not sent: turns of one role in a row, turns that say nothing, white space at the end. */
import { assertEquals } from "@std/assert";
import { jsonActionInterpreter } from "../../../adapters/json_action_interpreter.ts";
import { type JsonValue, type Message, textMessage } from "../../../types/mod.ts";
import { message, modelCall } from "../model_calls.ts";
import { jsonAnswer, rawHttpServer } from "../raw_http_server.ts";
import {
  ANTHROPIC,
  CHAT,
  type Dialect,
  DIALECTS,
  fieldRun,
  type ModelOptions,
} from "./dialects.ts";

type Turn = readonly [role: string, said: string];

/** Who says what in a body: texts alone, results by their text. */
function turnsOf({ messages }: Record<string, JsonValue>): readonly Turn[] {
  return (messages as Record<string, JsonValue>[]).map(({ role, content }) => {
    const parts = Array.isArray(content) ? content : [{ text: content ?? "" }];
    const text = parts.map((part) => {
      const { text, content } = Object(part);
      return text ?? (Array.isArray(content) ? content.map((inner) => inner.text).join("") : "");
    }).join("|");
    return [String(role), text];
  });
}

async function sentOf(
  dialect: Dialect,
  messages: readonly Message[],
  options?: ModelOptions,
): Promise<readonly Turn[]> {
  await using server = rawHttpServer(dialect.answer({ text: "ok" }));
  await dialect.model(server.origin, options).call(modelCall({ messages }));
  return turnsOf(JSON.parse(server.requests[0]!.body));
}

const user = (text: string) => textMessage("user", text);
const assistant = (text: string) => textMessage("assistant", text);

for (const dialect of DIALECTS) {
  Deno.test(`turns of one role in a row are sent as one (${dialect.name})`, async () => {
    const rows: [Message[], Turn[]][] = [
      [[user("a"), user("b"), user("c")], [["user", "a\n\nb\n\nc"]]],
      [[user("a"), assistant("b"), assistant("c"), user("d")], [
        ...[["user", "a"], ["assistant", "b\n\nc"], ["user", "d"]] as const,
      ]],
      [[user("a"), assistant(""), user("b")], [["user", "a\n\nb"]]],
      [[user("a"), assistant(" \n"), user("b")], [["user", "a\n\nb"]]],
      [[message("user", "a", "b"), message("user", "c", "d")], [["user", "a|b\n\nc|d"]]],
    ];
    for (const [messages, turns] of rows) assertEquals(await sentOf(dialect, messages), turns);
  });

  Deno.test(`a run whose calls fail or say nothing sends turns that alternate (${dialect.name})`, async () => {
    const failed = jsonAnswer({ error: { message: "later" } }, 503);
    const empty = dialect.answer({ text: "" });
    const unknown = dialect.answer({ text: "half", finish: "finished" });
    const call = dialect.answer({
      calls: [{ id: "k1", name: "lookup", arguments: { q: "a" } }],
      finish: "tool_use",
    });
    const { sent } = await fieldRun(dialect, [failed, empty, unknown, failed, call, failed], {
      spec: { context: { runLevel: [user("one")], goalLevel: [user("two")] } },
    });
    for (const body of sent) {
      const roles = turnsOf(body).map(([role]) => role);
      for (const [i, role] of roles.entries()) {
        assertEquals(role !== "assistant" || roles[i - 1] !== "assistant", true);
        if (i > 0 && role === "user") assertEquals(roles[i - 1] === "user", false, roles.join());
      }
      assertEquals(roles.at(-1) === "assistant", false);
    }
    assertEquals(turnsOf(sent[0]!), [["user", "one\n\ntwo"]]);
  });

  Deno.test(`a turn that says nothing is sent as the text for it (${dialect.name})`, async () => {
    for (const blank of ["", " \n", "\t"]) {
      assertEquals(await sentOf(dialect, [user("a"), assistant("b"), user(blank)]), [
        ...[["user", "a"], ["assistant", "b"], ["user", "(empty)"]] as const,
      ]);
      assertEquals(await sentOf(dialect, [user(blank)], { emptyText: "(nothing)" }), [
        ["user", "(nothing)"],
      ]);
      const call = { type: "tool_call", toolCallId: "x", name: "n", arguments: {} } as const;
      const result = { type: "tool_result", toolCallId: "x", text: blank, isError: false } as const;
      const native = [user("a"), message("assistant", call), message("tool", result)];
      const [, , turn] = await sentOf(dialect, native);
      assertEquals(turn?.[1], "(empty)");
    }
    const model = dialect.model("http://127.0.0.1:1", { emptyText: "(nothing)" });
    assertEquals(model.parameters().empty_text, "(nothing)");
    assertEquals(dialect.model("http://127.0.0.1:1").parameters().empty_text, "(empty)");
  });

  Deno.test(`an observation that is empty is a turn (${dialect.name})`, async () => {
    const action = dialect.answer({ text: '{"tool":"lookup","arguments":{"q":"a"}}\n' });
    const done = dialect.answer({ text: '{"final_answer":"done"}' });
    for (const found of ["", " \n"]) {
      const { sent, result } = await fieldRun(dialect, [action, done], {
        interpreter: jsonActionInterpreter(),
        found,
        spec: { observationTemplate: "{observation}" },
      });
      assertEquals(turnsOf(sent[1]!).at(-1), ["user", "(empty)"]);
      assertEquals(result.answer, "done");
    }
    const native = dialect.answer({
      calls: [{ id: "k1", name: "lookup", arguments: { q: "a" } }],
      finish: "tool_use",
    });
    const { sent } = await fieldRun(dialect, [native], { found: "" });
    assertEquals(turnsOf(sent[1]!).at(-1)?.[1], "(empty)");
  });

  Deno.test(`a last text of the assistant goes without white space at its end (${dialect.name})`, async () => {
    assertEquals(await sentOf(dialect, [user("a"), assistant(" b \n")]), [
      ...[["user", "a"], ["assistant", " b"]] as const,
    ]);
    assertEquals(await sentOf(dialect, [user("a"), message("assistant", "b", " \n")]), [
      ...[["user", "a"], ["assistant", "b"]] as const,
    ]);
    assertEquals(await sentOf(dialect, [user("a"), assistant("b \n"), user("c")]), [
      ...[["user", "a"], ["assistant", "b \n"], ["user", "c"]] as const,
    ]);
  });
}

Deno.test("system messages in a row are one where they are messages, and stand apart where they are not", async () => {
  const messages = [textMessage("system", "a"), textMessage("system", "b"), user("c")];
  assertEquals(await sentOf(CHAT, messages), [["system", "a\n\nb"], ["user", "c"]]);
  assertEquals(await sentOf(ANTHROPIC, messages), [["user", "c"]]);
});
