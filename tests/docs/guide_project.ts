import { assert } from "@std/assert";
import type { CommandOutput } from "../cli/command_line.ts";
import type { Page } from "./pages.ts";

const ROOT = new URL("../../", import.meta.url);

/** What the guide writes where the model's server is. */
const SERVER = "localhost:11434";

/** The project that `docs/own_agent.md` makes, beside a checkout, with a server that answers as a model would. */
export interface GuideProject extends AsyncDisposable {
  /** Runs the lines of a shell block in the project's folder. */
  shell(
    block: string,
  ): Promise<CommandOutput>;
  /** Runs command lines in the project's folder, all in one process, until one fails. */
  commands(lines: readonly (readonly string[])[]): Promise<CommandOutput>;
}

/** Makes the project of the guide, from the blocks of the guide. */
export async function makeGuideProject(guide: Page): Promise<GuideProject> {
  const server = modelServer();
  const address = `127.0.0.1:${server.addr.port}`;
  const parent = await Deno.makeTempDir();
  const dir = `${parent}/mine`;
  const block = (language: string) => {
    const found = guide.blocks.find((each) => each.language === language);
    assert(found !== undefined, `${guide.path} has no ${language}`);
    return found.text.replaceAll(SERVER, address);
  };
  await Deno.symlink(new URL(".", ROOT).pathname.replace(/\/$/, ""), `${parent}/polyloop`);
  await Deno.mkdir(dir);
  await Deno.writeTextFile(`${dir}/deno.json`, block("json"));
  await Deno.writeTextFile(`${dir}/agent.ts`, block("ts"));
  return {
    shell: (block) => outputOf("sh", ["-ec", block.replaceAll(SERVER, address)], dir),
    commands(lines) {
      const program = `import { main } from "@polyloop/polyloop/cli";
        for (const words of ${JSON.stringify(lines)}) {
          const code = await main(words);
          if (code !== 0) throw new Error(words.join(" "));
        }`;
      return outputOf(Deno.execPath(), ["eval", program], dir);
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await Deno.remove(parent, { recursive: true });
    },
  };
}

async function outputOf(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<CommandOutput> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    stdin: "null",
    env: {
      NO_COLOR: "1",
      DENO_NO_PROMPT: "1",
      PATH: `${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH")}`,
    },
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

/** A server with OpenAI's interface whose model reads `deno.json` and then answers. */
function modelServer(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { messages } = await request.json();
    const hasRead = messages.some(({ role }: { role: string }) => role === "tool");
    const read = { name: "read_file", arguments: '{"name": "deno.json"}' };
    return Response.json({
      model: "qwen3",
      choices: [
        hasRead
          ? {
            finish_reason: "stop",
            message: { role: "assistant", content: "It imports @polyloop/polyloop." },
          }
          : {
            finish_reason: "tool_calls",
            message: {
              role: "assistant",
              content: "",
              tool_calls: [{ id: "call_1", type: "function", function: read }],
            },
          },
      ],
      usage: { prompt_tokens: 20, completion_tokens: 5 },
    });
  });
}
