/**
 * Compares the HTTP models with clients and servers of others, which npm brings: the official clients read the fixtures
 * of the wire, and the models call mock servers. Where npm does not answer it says so and ends.
 *
 * @module
 */
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { errorInfo } from "../../../types/mod.ts";
import { say } from "../../tasks/say.ts";
import { modelCall } from "../model_calls.ts";
import { onePiece, rawHttpServer } from "../raw_http_server.ts";
import { DIFFERENCES } from "./differences.ts";
import { askMockServers } from "./mock_servers.ts";
import { anthropicClient, type Client, openAiClient, type Reading } from "./official_clients.ts";

interface WireCase {
  readonly id: string;
  readonly dialect: "openai" | "anthropic";
  readonly mode: "json" | "stream";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly transport: { readonly abort?: boolean };
}

const FOLDER = new URL("../../testdata/wire/", import.meta.url);

const ours: Readonly<Record<WireCase["dialect"], Client>> = {
  openai: (origin, stream) =>
    readBy(chatCompletionsModel({ baseUrl: `${origin}/v1`, model: "fx-model", stream })),
  anthropic: (origin, stream) =>
    readBy(anthropicMessagesModel({ baseUrl: origin, model: "fx-model", maxTokens: 100, stream })),
};

async function readBy(model: ReturnType<typeof chatCompletionsModel>): Promise<Reading> {
  const { text, toolCalls = [] } = await model.call(modelCall());
  return { text, calls: toolCalls.map(({ name, rawArguments }) => [name, rawArguments]) };
}

/** A reading that can be compared: of a failure only that it is one, of arguments what they say. */
function comparable(reading: Reading): string {
  if ("failed" in reading) return "a failure";
  return JSON.stringify({
    text: reading.text,
    calls: reading.calls.map(([name, args]) => [name, valueOf(args)]),
  });
}

/** What arguments say: some servers send no text but the object itself, or nothing. */
function valueOf(args: unknown): unknown {
  if (typeof args !== "string") return args ?? {};
  if (args.trim() === "") return {};
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/** A stream whose first delta says a role: without one the official client reads nothing, and few fixtures have it. */
function withRole(body: string): string {
  if (body.includes('"role"')) return body;
  return body.replace(/"delta": ?\{(?!\s*\})/, '"delta":{"role":"assistant",');
}

async function readings(wireCase: WireCase, clients: readonly Client[]): Promise<Reading[]> {
  await using server = rawHttpServer({
    status: wireCase.status,
    headers: wireCase.headers,
    pieces: onePiece(withRole(Deno.readTextFileSync(new URL(wireCase.body, FOLDER)))),
    end: wireCase.transport.abort ? "broken" : "clean",
  });
  const found: Reading[] = [];
  for (const client of clients) {
    try {
      found.push(await client(server.origin, wireCase.mode === "stream"));
    } catch (error) {
      found.push({ failed: errorInfo(error).message });
    }
  }
  return found;
}

/** Compares all fixtures; answers how many differences nobody has given a reason for, or have gone. */
async function compareClients(
  peers: Readonly<Record<WireCase["dialect"], Client>>,
): Promise<number> {
  const { cases }: { cases: readonly WireCase[] } = JSON.parse(
    Deno.readTextFileSync(new URL("manifest.json", FOLDER)),
  );
  let unexplained = 0;
  for (const wireCase of cases) {
    const [own, other] =
      (await readings(wireCase, [ours[wireCase.dialect], peers[wireCase.dialect]]))
        .map(comparable);
    const reason = DIFFERENCES[wireCase.id];
    if (own === other && reason === undefined) continue;
    if (own !== other && reason !== undefined) {
      say(`differs: ${wireCase.id}: ${reason}`);
      continue;
    }
    unexplained++;
    say(`UNEXPLAINED: ${wireCase.id}: we read ${own}, the official client ${other}`);
  }
  say(`${cases.length} fixtures compared with the official clients`);
  return unexplained;
}

/** The official clients. Absent: npm is out of reach. */
async function officialClients(): Promise<Record<WireCase["dialect"], Client> | undefined> {
  try {
    return { openai: await openAiClient(), anthropic: await anthropicClient() };
  } catch (error) {
    say(`the clients of others cannot be had here: ${errorInfo(error).message.split("\n")[0]}`);
  }
}

if (import.meta.main) {
  const peers = await officialClients();
  if (peers === undefined) Deno.exit();
  const faults = await compareClients(peers) + await askMockServers();
  say(faults === 0 ? "all is as it should be" : `${faults} faults`);
  Deno.exit(faults === 0 ? 0 : 1);
}
