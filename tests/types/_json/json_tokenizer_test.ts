import { assert, assertEquals } from "@std/assert";
import { JsonTokenizer, type JsonTokenKind } from "../../../types/mod.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { generatedTexts } from "./json_texts.ts";

/** What a tokenizer says of a text that comes in pieces. */
function tokenized(
  ...pieces: string[]
): { tokens: [JsonTokenKind, number, number][]; isJson: boolean } {
  const tokens: [JsonTokenKind, number, number][] = [];
  const tokenizer = new JsonTokenizer((...token) => tokens.push(token));
  for (const piece of pieces) tokenizer.push(piece);
  return { tokens, isJson: tokenizer.end() };
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

Deno.test("JsonTokenizer takes what JSON.parse takes, of generated and mutated texts", () => {
  let whole = 0;
  let broken = 0;
  const rounds = fuzzRounds(100_000);
  for (const text of generatedTexts(rounds)) {
    const isJson = parses(text);
    assertEquals(tokenized(text).isJson, isJson, JSON.stringify(text));
    if (isJson) whole++;
    else broken++;
  }
  assert(whole > rounds / 5 && broken > rounds / 5, `${whole} are JSON, ${broken} are not`);
});

Deno.test("JsonTokenizer gives tokens that, with white space, are the text, and parse to its value", () => {
  for (const text of generatedTexts(fuzzRounds(20_000))) {
    const { tokens, isJson } = tokenized(text);
    let end = 0;
    let rejoined = "";
    for (const [kind, start, stop] of tokens) {
      assertEquals(text.slice(end, start).trim(), "");
      const token = text.slice(start, stop);
      if (kind === "key" || kind === "string") assertEquals(typeof JSON.parse(token), "string");
      else if (kind === "number") assertEquals(typeof JSON.parse(token), "number");
      else if (kind === "word") assert(["true", "false", "null"].includes(token));
      else assertEquals(token, kind);
      rejoined += token;
      end = stop;
    }
    if (!isJson) continue;
    assertEquals(text.slice(end).trim(), "");
    assertEquals(JSON.stringify(JSON.parse(rejoined)), JSON.stringify(JSON.parse(text)));
  }
});

Deno.test("JsonTokenizer says the same of a text in pieces", () => {
  for (const text of generatedTexts(fuzzRounds(20_000))) {
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) pieces.push(text.slice(at, at += pieces.length * 5 % 4));
    assertEquals(tokenized(...pieces), tokenized(text), JSON.stringify(text));
    assertEquals(tokenized(...text.split("")), tokenized(text), JSON.stringify(text));
  }
});

Deno.test("JsonTokenizer tells keys from strings", () => {
  const { tokens } = tokenized('{"a":["b",{"c":"d"}],"e":"f"}');
  const texts = tokens.filter(([kind]) => kind === "key" || kind === "string");
  assertEquals(texts.map(([kind]) => kind), ["key", "string", "key", "string", "key", "string"]);
});

Deno.test("JsonTokenizer.isWhole() says that nothing but white space can follow", () => {
  const after = (text: string) => {
    const tokenizer = new JsonTokenizer();
    tokenizer.push(text);
    return { isWhole: tokenizer.isWhole(), isJson: tokenizer.end() };
  };
  assertEquals(after("[1]"), { isWhole: true, isJson: true });
  assertEquals(after("[1] \n"), { isWhole: true, isJson: true });
  assertEquals(after('"x"'), { isWhole: true, isJson: true });
  assertEquals(after("12"), { isWhole: false, isJson: true });
  assertEquals(after("12 "), { isWhole: true, isJson: true });
  assertEquals(after("nul"), { isWhole: false, isJson: false });
  assertEquals(after("[1"), { isWhole: false, isJson: false });
  assertEquals(after("[1]x"), { isWhole: false, isJson: false });
  assertEquals(after("[1]]"), { isWhole: false, isJson: false });
  assertEquals(after(""), { isWhole: false, isJson: false });
});

Deno.test("JsonTokenizer takes deep and long texts without recursion", () => {
  const many = 200_000;
  const deep = "[".repeat(many) + "]".repeat(many);
  assert(tokenized(deep).isJson);
  assert(tokenized(`"${"\\\\".repeat(many)}"`).isJson);
  assert(tokenized(`1${"0".repeat(many)}`).isJson);
  const tokenizer = new JsonTokenizer();
  for (let i = 0; i < many; i++) tokenizer.push(i === 0 ? '"' : "x");
  tokenizer.push('"');
  assert(tokenizer.isWhole());
});
