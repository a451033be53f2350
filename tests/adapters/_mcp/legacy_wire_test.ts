import { assertEquals } from "@std/assert";
import type { McpInputContext } from "../../../adapters/mcp_tools.ts";
import { openLegacyWire } from "../../../adapters/_mcp/eras/legacy_wire.ts";
import type { RpcAnswer } from "../../../adapters/_mcp/json_rpc.ts";
import type { AnswerRequest, McpLink } from "../../../adapters/_mcp/link.ts";

Deno.test("openLegacyWire() says which call a question belongs to where one alone is under way", async () => {
  let ask: AnswerRequest | undefined;
  const pending: ((answer: RpcAnswer) => void)[] = [];
  const link: McpLink = {
    exchange: ({ method }) =>
      method === "initialize"
        ? Promise.resolve({ result: { protocolVersion: "2025-11-25" } })
        : new Promise((resolve) => pending.push(resolve)),
    notify: () => Promise.resolve(),
    serve: (answer) => ask = answer,
  };
  const contexts: Omit<McpInputContext, "signal">[] = [];
  const { signal } = new AbortController();
  const wire = await openLegacyWire(
    {
      transport: { modern: link, legacy: link, hasHeaders: false, close: () => Promise.resolve() },
      revisions: ["2025-11-25"],
      answerInput: (_, { signal: _signal, ...context }) => {
        contexts.push(context);
        return { action: "cancel" };
      },
      nextId: () => 1,
      probeMs: 1,
    },
    ["2025-11-25"],
    signal,
  );
  const question = () => ask?.("elicitation/create", { message: "?", requestedSchema: {} });
  const call = (tool: string) => {
    const context = { tool, actionId: `r/${tool}` };
    return wire.request({ method: "tools/call", params: {}, paramHeaders: [], context, signal });
  };
  const calls = [call("a"), call("b")];
  await question();
  pending[0]?.({ result: {} });
  await calls[0];
  await question();
  pending[1]?.({ result: {} });
  await calls[1];
  await question();
  assertEquals(contexts, [{}, { tool: "b", actionId: "r/b" }, {}]);
});
