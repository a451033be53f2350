import { assert, assertEquals } from "@std/assert";
import { messagesOf } from "../../../adapters/_mcp/json_rpc.ts";
import { MCP_TEXTS } from "../../../adapters/_mcp/tools/mcp_texts.ts";
import { resultText } from "../../../adapters/_mcp/tools/result_text.ts";
import type { JsonObject } from "../../../types/mod.ts";

const written = (result: string) => {
  const [message] = messagesOf(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  assert(message?.kind === "answer" && "result" in message.answer);
  return resultText(message.answer, MCP_TEXTS);
};
const text = (result: JsonObject) => written(JSON.stringify(result));
const part = (content: JsonObject) => text({ content: [content] });

Deno.test("resultText() shows texts as they are, and of bytes the kind and the size", () => {
  assertEquals(
    text({ content: [{ type: "text", text: "a\n" }, { type: "text", text: "b" }] }),
    "a\n\nb",
  );
  const data = btoa("12345");
  assertEquals(part({ type: "image", data, mimeType: "image/png" }), "[image/png, 5 bytes]");
  assertEquals(
    part({ type: "audio", data: btoa("123456") }),
    "[application/octet-stream, 6 bytes]",
  );
  const blob = { uri: "file:///x", blob: data, mimeType: "application/zip" };
  assertEquals(part({ type: "resource", resource: blob }), "[application/zip, 5 bytes]");
  assertEquals(part({ type: "resource", resource: { uri: "u", text: "inside" } }), "inside");
  assertEquals(part({ type: "resource_link", name: "n", uri: "file:///n" }), "[n: file:///n]");
  assertEquals(part({ type: "resource_link", uri: "u" }), "[u: u]");
});

Deno.test("resultText() says what it cannot show", () => {
  const cannot = (type: string) => `[a part of the type ${type} cannot be shown]`;
  assertEquals(part({ type: "video", data: "x" }), cannot("video"));
  assertEquals(part({ type: "text", text: 5 }), cannot("text"));
  assertEquals(part({ type: "resource", resource: {} }), cannot("resource"));
  assertEquals(text({ content: [5, {}] }), `${cannot("(none)")}\n${cannot("(none)")}`);
});

Deno.test("resultText() shows the structured form where there is nothing else", () => {
  const structuredContent = { sum: 3 };
  assertEquals(text({ content: [], structuredContent }), '{"sum":3}');
  assertEquals(text({ structuredContent: null }), "null");
  assertEquals(text({ content: [{ type: "text", text: "three" }], structuredContent }), "three");
  assertEquals(text({ content: [{ type: "text", text: "" }] }), "");
  assertEquals([text({}), text({ content: "x" })], [undefined, undefined]);
});

Deno.test("resultText() shows the structured form as the server wrote it, whatever a number can hold", () => {
  const structured = '{"id":12345678901234567890,"n":1e999,"2":1,"1":2,"a":1,"a":2}';
  assertEquals(written(`{ "content": [], "structuredContent" : ${structured} }`), structured);
  const [, second] = messagesOf(
    `[{"id":1,"result":{}}, {"id":2,"result":{"structuredContent":${structured}}}]`,
  );
  assert(second?.kind === "answer" && "result" in second.answer);
  assertEquals(resultText(second.answer, MCP_TEXTS), structured);
});
