/** Moments of one answer of {@link gatedServer}, in order: nothing, the beginning, a half, or all of it was sent. */
export const PHASES = ["asked", "begun", "half", "sent"] as const;

/** A moment at which a run can be interrupted: a call of its process, from 0, and how far the answer has come. */
export interface Moment {
  readonly call: number;
  readonly phase: (typeof PHASES)[number];
}

/** How many tools a whole run of the agent asks for before it answers. */
const TOOL_CALLS = 4;

/** A model's server that stops at a moment until it is told to go on. */
export interface GatedServer extends AsyncDisposable {
  readonly address: string;
  /** Resolves at a moment of the calls from now on; the server goes on with the answer when `goOn` is called. */
  stopAt(moment: Moment): Promise<{ goOn(): void }>;
}

/** A server with OpenAI's interface whose model reads a file again and again, and then answers. */
export function gatedServer(): GatedServer {
  let calls = 0;
  let gate: Moment & { readonly reached: (gate: { goOn(): void }) => void } | undefined;
  const pass = async (call: number, phase: Moment["phase"]): Promise<void> => {
    if (gate?.call !== call || gate.phase !== phase) return;
    const { reached } = gate;
    gate = undefined;
    await new Promise<void>((goOn) => reached({ goOn }));
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const call = calls++;
    const { messages } = await request.json();
    const asked = messages.filter(({ role }: { role: string }) => role === "tool").length;
    const bytes = new TextEncoder().encode(JSON.stringify(replyAfter(asked)));
    await pass(call, "asked");
    const half = bytes.length >> 1;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async start(controller) {
        controller.enqueue(bytes.slice(0, 1));
        await pass(call, "begun");
        controller.enqueue(bytes.slice(1, half));
        await pass(call, "half");
        controller.enqueue(bytes.slice(half));
        controller.close();
        await pass(call, "sent");
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  return {
    address: `127.0.0.1:${server.addr.port}`,
    stopAt(moment) {
      calls = 0;
      return new Promise((reached) => gate = { ...moment, reached });
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}

function replyAfter(asked: number): object {
  const usage = { prompt_tokens: 20, completion_tokens: 5 };
  const message = asked < TOOL_CALLS
    ? {
      role: "assistant",
      content: `look ${asked}`,
      tool_calls: [{
        id: `call_${asked}`,
        type: "function",
        function: { name: "read_file", arguments: '{"name": "deno.json"}' },
      }],
    }
    : { role: "assistant", content: "It imports @polyloop/polyloop." };
  const finish_reason = asked < TOOL_CALLS ? "tool_calls" : "stop";
  return { model: "qwen3", choices: [{ finish_reason, message }], usage };
}
