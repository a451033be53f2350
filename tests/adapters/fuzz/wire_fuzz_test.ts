/** Fixtures of the wire, mutated: no answer hangs, fails in another way than typed, or is taken for whole when it was cut. */
import { assert, assertEquals } from "@std/assert";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import type { ModelDelta } from "../../../ports/mod.ts";
import {
  checkShape,
  ModelCallError,
  type ModelReply,
  modelReplyShape,
} from "../../../types/mod.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { drawing } from "../../types/json_values.ts";
import { dialectOf, fixture, fixtureNames, read } from "../_wire/read_response.ts";

const NAMES = fixtureNames().filter((name) => !name.includes("err-"));
const LABELS = ["text/event-stream", "application/json", "text/plain", "application/octet-stream"];

/** Draws a whole number from 0 to below a limit. */
type Draw = (below: number) => number;

/** What became of an answer. */
type End = { readonly reply: ModelReply } | { readonly failure: string };

/** A body in pieces that begin at these offsets. */
function streamOf(bytes: Uint8Array, offsets: readonly number[]): ReadableStream<Uint8Array> {
  const starts = [0, ...offsets];
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      if (next === starts.length) return controller.close();
      controller.enqueue(bytes.slice(starts[next], starts[++next]));
    },
  });
}

/** Reads an answer, and checks what must hold for any. */
async function end(
  bytes: Uint8Array,
  offsets: readonly number[],
  name: string,
  label: string,
): Promise<End> {
  const deltas: ModelDelta[] = [];
  const onDelta = (delta: ModelDelta) => void deltas.push(delta);
  const headers = { "content-type": label };
  try {
    const response = new Response(streamOf(bytes, offsets), { headers });
    const reply = await read(response, dialectOf(name), { onDelta });
    const shape = checkShape(reply, modelReplyShape);
    assert(shape.ok, JSON.stringify(shape));
    const told = { text: "", reasoning: "" };
    for (const delta of deltas) {
      if (delta.kind === "restart") told.text = told.reasoning = "";
      else told[delta.kind] += delta.text;
    }
    assertEquals(told, { text: reply.text, reasoning: reply.reasoning ?? "" });
    return { reply };
  } catch (error) {
    assert(error instanceof ModelCallError, `${name}: ${error}`);
    return { failure: error.kind };
  }
}

function isFinalAnswer(result: End): boolean {
  if (!("reply" in result)) return false;
  const context = { runId: "r", stepIndex: 0, signal: new AbortController().signal };
  const read = nativeToolsInterpreter().interpret(result.reply, context);
  return Object(read).decision.kind === "final_answer";
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const JUNK = [
  ...["null", "0", "-1", "1e400", "true", '""', '"x"', "[]", "{}", "[null]", "[{}]", "{", "]", ""],
  ...['"\\ud800"', '{"a":{"a":{"a":1}}}', "[[[[[[1]]]]]]", '{"__proto__":{"x":1}}', "\u2028"],
];

/** A text with something in it changed: its lines, its events, or a value of it. */
function mutated(text: string, draw: Draw): string {
  const separator = draw(2) === 0 ? "\n\n" : "\n";
  const parts = text.split(separator);
  const [i, j] = [draw(parts.length), draw(parts.length)];
  switch (draw(6)) {
    case 0: // doubled
      parts.splice(i, 0, ...Array(1 + draw(3)).fill(parts[i]));
      break;
    case 1: // reordered
      [parts[i], parts[j]] = [parts[j] ?? "", parts[i] ?? ""];
      break;
    case 2: // left out
      parts.splice(i, 1 + draw(3));
      break;
    case 3: // from another fixture's alphabet
      parts.splice(i, 0, ['error: {"message":"x"}', "event: error", ":", "data: [DONE]"][draw(4)]!);
      break;
    case 4: { // a value of another type
      const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+|null|true|false|[[{]/g)];
      const value = values[draw(values.length || 1)];
      if (value === undefined) return text;
      const junk = JUNK[draw(JUNK.length)]!;
      return text.slice(0, value.index) + junk + text.slice(value.index + value[0].length);
    }
    default: { // a character
      const at = draw(text.length + 1);
      const character = String.fromCharCode(draw(128));
      return text.slice(0, at) + character + text.slice(at + draw(2));
    }
  }
  return parts.join(separator);
}

Deno.test("a mutated answer is a reply of the right form, or a typed error", async () => {
  for (let seed = 0; seed < fuzzRounds(20_000); seed++) {
    const draw = drawing(seed);
    const name = NAMES[draw(NAMES.length)]!;
    let text = decoder.decode(await fixture(name));
    for (let i = 0; i <= draw(4); i++) text = mutated(text, draw);
    const bytes = encoder.encode(text);
    const offsets = Array.from({ length: draw(8) }, () => draw(bytes.length + 1)).sort((a, b) =>
      a - b
    );
    await end(bytes, offsets, name, LABELS[draw(LABELS.length)]!);
  }
});

Deno.test("a cut answer is never a final answer, unless nothing of the reply was cut off", async () => {
  for (let seed = 0; seed < fuzzRounds(20_000); seed++) {
    const draw = drawing(seed);
    const name = NAMES[draw(NAMES.length)]!;
    const bytes = await fixture(name);
    const label = name.endsWith(".sse") ? LABELS[draw(LABELS.length)]! : "application/json";
    const whole = await end(bytes, [], name, label);
    const cut = await end(bytes.slice(0, draw(bytes.length)), [], name, label);
    if (isFinalAnswer(cut)) assertEquals(textsOf(cut), textsOf(whole), `${name} ${seed}`);
  }
});

/** What a reply says and does; its usage may come after all that. */
function textsOf(result: End): unknown {
  if (!("reply" in result)) return result;
  const { text, reasoning, toolCalls, finishReason, providerData } = result.reply;
  return { text, reasoning, toolCalls, finishReason, providerData };
}

Deno.test("an answer is the same whatever the pieces are that it comes in", async () => {
  for (let seed = 0; seed < fuzzRounds(2_000); seed++) {
    const draw = drawing(seed);
    const name = NAMES[draw(NAMES.length)]!;
    const bytes = await fixture(name);
    const label = name.endsWith(".sse") ? "text/event-stream" : "application/json";
    const whole = await end(bytes, [], name, label);
    const every = Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
    assertEquals(await end(bytes, every, name, label), whole, name);
    const some = every.filter(() => draw(5) === 0);
    assertEquals(await end(bytes, some, name, LABELS[draw(LABELS.length)]!), whole, name);
  }
});
