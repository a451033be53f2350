import { assert, assertEquals, assertFalse, assertRejects, assertStrictEquals } from "@std/assert";
import { scriptedModel, type ScriptedReply } from "../../adapters/scripted_model.ts";
import { deepFreeze } from "../../types/mod.ts";
import { message, modelCall } from "./model_calls.ts";

Deno.test("scriptedModel() gives texts, parts of replies and errors in order", async () => {
  const failure = new TypeError("as written");
  const model = scriptedModel([
    "one",
    {},
    { text: "two", finishReason: "length", usage: { outputTokens: 3 } },
    failure,
    {
      toolCalls: [
        { name: "look", arguments: { at: [3] } },
        {
          id: "c",
          name: "look",
          arguments: null,
          rawArguments: "{",
          argumentsError: "invalid_json",
        },
      ],
    },
  ]);
  assertEquals(await model.call(modelCall()), { text: "one", finishReason: "stop" });
  assertEquals(await model.call(modelCall()), { text: "" });
  assertEquals(await model.call(modelCall()), {
    text: "two",
    finishReason: "length",
    usage: { outputTokens: 3 },
  });
  assertStrictEquals(await assertRejects(() => model.call(modelCall())), failure);
  assertEquals(await model.call(modelCall()), {
    text: "",
    toolCalls: [
      { name: "look", arguments: { at: [3] }, rawArguments: '{"at":[3]}' },
      { id: "c", name: "look", arguments: null, rawArguments: "{", argumentsError: "invalid_json" },
    ],
  });
});

Deno.test("scriptedModel() says that its list has ended, each time", async () => {
  const model = scriptedModel(["only"]);
  await model.call(modelCall());
  for (const index of [1, 2]) {
    const error = await assertRejects(() => model.call(modelCall()), RangeError);
    assertEquals(
      error.message,
      `Cannot answer call ${index} as the script has only 1: add a reply`,
    );
  }
  assertEquals(model.calls.length, 3);
});

Deno.test("scriptedModel() asks a function with the call and its index, sync or async", async () => {
  const model = scriptedModel((
    { callId, attempt },
    index,
  ): ScriptedReply | Promise<ScriptedReply> =>
    index % 2 === 0 ? `${callId} ${attempt} ${index}` : Promise.resolve({ text: `late ${index}` })
  );
  const texts = await Promise.all(
    ["a", "b", "c"].map(async (callId) =>
      (await model.call(modelCall({ callId, attempt: 2 }))).text
    ),
  );
  assertEquals(texts, ["a 2 0", "late 1", "c 2 2"]);
  const failing = scriptedModel(() => Promise.reject(new TypeError("own")));
  await assertRejects(() => failing.call(modelCall()), TypeError, "own");
});

Deno.test("scriptedModel() records what it was asked, frozen, without freezing what is another's", async () => {
  const model = scriptedModel(() => "ok");
  const messages = [message("user", "before")];
  const tools = [{ name: "t", description: "", parameters: { type: "object" } }];
  const binding = { round: "1" };
  await model.call(modelCall({ messages, tools, binding }));
  const frozenMessages = deepFreeze([message("user", "frozen")]);
  await model.call(modelCall({ callId: "r1/s1", messages: frozenMessages }));
  const [first, second] = model.calls;
  assertFalse(Object.isFrozen(messages) || Object.isFrozen(tools) || Object.isFrozen(binding));
  messages[0] = message("user", "after");
  assertEquals(first, {
    callId: "r1/s0",
    attempt: 1,
    messages: [message("user", "before")],
    tools: [{ name: "t", description: "", parameters: { type: "object" } }],
    binding: { round: "1" },
  });
  assertStrictEquals(second!.messages, frozenMessages, "nothing is copied that cannot change");
  assertFalse("tools" in second!);
  for (const part of [model.calls, first, first!.messages, first!.messages[0], first!.tools![0]]) {
    assert(Object.isFrozen(part));
  }
});

Deno.test("scriptedModel() answers no call whose signal is aborted, and does not count it", async () => {
  const model = scriptedModel(["one"]);
  const reason = new Error("enough");
  const aborted = modelCall({ signal: AbortSignal.abort(reason) });
  assertStrictEquals(await assertRejects(() => model.call(aborted)), reason);
  assertEquals(model.calls, []);
  assertEquals((await model.call(modelCall())).text, "one");
});

Deno.test("scriptedModel() reports its kind, and its name if it has one", () => {
  assertEquals(scriptedModel([]).parameters(), { kind: "scripted" });
  assertEquals(scriptedModel([], { name: "v2" }).parameters(), { kind: "scripted", name: "v2" });
});
