import { assert, assertEquals } from "@std/assert";
import {
  queryValues,
  replySecrets,
  secretTexts,
  withoutSecretsIn,
  withoutTexts,
} from "../../../adapters/_wire/secrets.ts";

const KEY = "sk+1'a/b\"c\\d&e<f>é🌊=";

/** What a server can make of a text that it repeats. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "JSON": (text) => JSON.stringify(text).slice(1, -1),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  "JSON in ASCII": (text) =>
    text.replace(/\W/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "JSON with escaped slashes": (text) =>
    JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/").replaceAll("'", "\\u0027"),
  "a part of a URL": (text) => encodeURIComponent(text),
  "a part of a URL in lower case": (text) =>
    encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  "a query": (text) => new URLSearchParams({ q: text }).toString().slice(2),
  "the query that fetch sends": (text) => new URL(`http://x/?${encodeURI(text)}`).search.slice(1),
  "HTML": (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
  "HTML in hexadecimal": (text) =>
    text.replace(/[^\w]/gu, (c) => `&#x${c.codePointAt(0)!.toString(16).toUpperCase()};`),
};

Deno.test("withoutTexts() hides a key however a server spells it", () => {
  for (const [what, spell] of Object.entries(SPELLINGS)) {
    if (what.startsWith("the query") && KEY.includes("&")) {
      const key = KEY.replaceAll("&", "");
      assertEquals(withoutTexts(`a ${spell(key)} b`, secretTexts([], key)), "a [hidden] b", what);
      continue;
    }
    assertEquals(withoutTexts(`a ${spell(KEY)} b`, secretTexts([], KEY)), "a [hidden] b", what);
  }
  const long = KEY.repeat(500);
  assertEquals(withoutTexts(`a${long}b`, secretTexts([], long)).replaceAll("[hidden]", ""), "ab");
  assertEquals(withoutTexts("a sk+1 b", secretTexts([], KEY)), "a sk+1 b");
  assertEquals(withoutTexts("ab", secretTexts(["long-secret-word and more"], "a")), "[hidden]b");
});

Deno.test("withoutTexts() takes time that grows with the text alone", () => {
  const secrets = secretTexts(["\\".repeat(40), "%".repeat(40), "&#".repeat(20)], "a\\b");
  for (const part of ["\\", "%", "&#", "&#x0", "a\\"]) {
    const text = part.repeat(300_000 / part.length);
    assert(withoutTexts(text, secrets).length <= text.length);
  }
});

Deno.test("queryValues() gives a value of a query as written and as decoded either way", () => {
  const url = new URL("https://host/v1?key=ab+cd'ef%2Bgh&version=2026-01-01&flag&bad=%zz");
  const values = queryValues(url);
  for (const form of ["ab cd'ef+gh", "ab+cd'ef+gh", "ab+cd%27ef%2Bgh", "2026-01-01", "%zz"]) {
    assert(values.includes(form), form);
  }
});

Deno.test("withoutSecretsIn() hides a key in every text of a reply, and tells how often", () => {
  const key = 'sk-"1234';
  const reply = {
    text: `it is ${key}`,
    reasoning: key,
    toolCalls: [{ name: "t", arguments: { a: [key] }, rawArguments: JSON.stringify({ a: [key] }) }],
    providerData: { deep: [{ er: `${key}${key}` }] },
    usage: { inputTokens: 12345678 },
  };
  const secrets = replySecrets({}, new URL("http://x"), key);
  const clean = withoutSecretsIn(reply, secrets);
  assert(!JSON.stringify(clean).includes("1234\\"), JSON.stringify(clean));
  assertEquals(clean, {
    text: "it is [hidden]",
    reasoning: "[hidden]",
    toolCalls: [{ name: "t", arguments: { a: ["[hidden]"] }, rawArguments: '{"a":["[hidden]"]}' }],
    providerData: { deep: [{ er: "[hidden][hidden]" }] },
    usage: { inputTokens: 12345678 },
    hiddenSecrets: 6,
  });
  const other = { text: "nothing", providerData: { a: "\ud800" } };
  assert(withoutSecretsIn(other, secrets) === other);
});

Deno.test("replySecrets() takes what is named as a secret, and no word that any reply can hold", () => {
  const secrets = (headers: Readonly<Record<string, string>>, query = "", key?: string) =>
    replySecrets(headers, new URL(`http://x/${query}`), key);
  assertEquals(secrets({ authorization: "Bearer abcdefgh-12345678" }), [
    "Bearer abcdefgh-12345678",
    "abcdefgh-12345678",
  ]);
  assert(secrets({}, "?api_key=ab+cd'1234").includes("ab+cd'1234"));
  for (const dummy of ["ollama", "none", "EMPTY", "lm-studio", "not-needed"]) {
    assertEquals(
      secrets({ "x-title": "My Application 2026" }, "?api-version=2026-01-01", dummy),
      [],
    );
  }
});
