import { assertEquals } from "@std/assert";
import { messagesOf } from "../../../adapters/_mcp/json_rpc.ts";

Deno.test("messagesOf() tells answers, requests and notifications apart", () => {
  const cases: [string, unknown][] = [
    ['{"id":1,"result":{"a":1}}', { kind: "answer", id: 1, answer: { result: { a: 1 } } }],
    ['{"id":1,"result":{},"error":null}', { kind: "answer", id: 1, answer: { result: {} } }],
    [
      '{"id":1,"result":null,"error":{"code":1,"message":""}}',
      { kind: "answer", id: 1, answer: { error: { code: 1, message: "" } } },
    ],
    ['{"id":"1","result":{}}', { kind: "answer", id: "1", answer: { result: {} } }],
    [
      '{"id":null,"error":{"code":-1,"message":"m","data":[1]}}',
      { kind: "answer", id: null, answer: { error: { code: -1, message: "m", data: [1] } } },
    ],
    [
      '{"error":{"code":-1,"message":"m","more":1}}',
      { kind: "answer", id: null, answer: { error: { code: -1, message: "m" } } },
    ],
    ['{"id":7,"method":"ping"}', { kind: "request", id: 7, method: "ping", params: {} }],
    ['{"method":"n","params":{"a":1}}', { kind: "notification", method: "n" }],
  ];
  for (const [text, expected] of cases) assertEquals(messagesOf(text), [expected] as never, text);
});

Deno.test("messagesOf() reads a batch, and leaves out what is no message", () => {
  assertEquals(messagesOf('[{"method":"a"},5,{"id":1,"result":{}}]').length, 2);
  const none = [
    ...["", "noise", "null", "5", '"text"', "[]", "{}", '{"id":1}', '{"id":1,"result":5}'],
    ...['{"id":1,"result":null}', '{"id":1,"result":{},"error":{"code":1,"message":""}}'],
    ...['{"id":1,"error":{"code":"1","message":""}}', '{"id":1,"error":"e"}'],
    ...['{"id":null,"method":"m"}', '{"id":{},"method":"m"}', '{"id":1,"method":"m","params":[]}'],
    '{"id":1,"result":{}',
  ];
  for (const text of none) assertEquals(messagesOf(text), [], text);
});
