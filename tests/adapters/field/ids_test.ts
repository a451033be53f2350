/** Calls go back with the ids that their server gave, or with such as every server takes. */
import { assert, assertEquals } from "@std/assert";
import type { JsonValue } from "../../../types/mod.ts";
import { DIALECTS, type FieldRun, fieldRun } from "./dialects.ts";

/** The ids of the calls of the last request, and those of its results. */
function idsSent({ sent }: FieldRun): { calls: readonly string[]; results: readonly string[] } {
  const messages = sent.at(-1)?.messages as Record<string, JsonValue>[];
  const calls: string[] = [];
  const results: string[] = [];
  for (const { tool_calls, tool_call_id, content } of messages) {
    for (const { id } of (tool_calls ?? []) as { id: string }[]) calls.push(id);
    if (typeof tool_call_id === "string") results.push(tool_call_id);
    for (const block of Array.isArray(content) ? content : []) {
      const { type, id, tool_use_id } = Object(block);
      if (type === "tool_use") calls.push(id);
      if (type === "tool_result") results.push(tool_use_id);
    }
  }
  return { calls, results };
}

for (const dialect of DIALECTS) {
  const reply = (...ids: readonly (string | undefined)[]) =>
    dialect.answer({
      calls: ids.map((id, i) => ({
        ...(id !== undefined && { id }),
        name: "lookup",
        arguments: { q: `${i}` },
      })),
      finish: "tool_use",
    });

  Deno.test(`ids go back as they were given, where they are one call's (${dialect.name})`, async () => {
    const replies = [
      reply("D681PevKs"),
      reply("functions.lookup:0", "functions.lookup:1"),
      reply("call_" + "x".repeat(35)),
    ];
    const { calls, results } = idsSent(await fieldRun(dialect, replies));
    assertEquals(calls, [
      ...["D681PevKs", "functions.lookup:0", "functions.lookup:1", "call_" + "x".repeat(35)],
    ]);
    assertEquals(results, calls);
  });

  Deno.test(`calls without an id of their own get nine characters that stay (${dialect.name})`, async () => {
    const replies = [reply("same"), reply(undefined, "", "same"), reply("same", "new", "new")];
    const ran = await fieldRun(dialect, replies);
    const prompts = ran.sent.map((_, i) => idsSent({ ...ran, sent: ran.sent.slice(0, i + 1) }));
    const { calls, results } = prompts.at(-1)!;
    assertEquals(results, calls);
    assertEquals(new Set(calls).size, 7);
    assertEquals([calls[0], calls[5]], ["same", "new"]);
    for (const i of [1, 2, 3, 4, 6]) assert(/^[a-zA-Z0-9]{9}$/.test(calls[i]!), calls[i]);
    for (const prompt of prompts) assertEquals(prompt.calls, calls.slice(0, prompt.calls.length));
    const again = await fieldRun(dialect, replies);
    assertEquals(idsSent(again).calls, calls, "in another process, too");
  });
}
