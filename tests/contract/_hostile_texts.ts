/** Texts that have broken parsers, terminals, C strings, UTF-8 and object keys before; two of them are large. */
export function hostileTexts(): readonly string[] {
  return [
    "",
    " \t\r\n\v\u00a0\u3000",
    "\0",
    "a\0b\u0007\b\u001b[2J\u001b]0;title\u0007\u009b1m",
    "\ud800",
    "\udc00\ud800 \udfff",
    "🌊 𝒳 \u{10ffff} 👩‍👩‍👧 e\u0301 \u202e abc",
    "line\u2028and\u2029separators\u0085, \r alone, \r\n and \n",
    "\ufeff \uffff \ufffe \ufffd",
    "__proto__",
    "{observation} {{ }} {name} ${x} $& $1 %s %00",
    "```",
    "````ts\n```\n~~~",
    '```json\n{"tool": "__proto__", "arguments": {"__proto__": null}}\n```',
    '{"final_answer": "\\ud800"}',
    '{"final_answer": -0}',
    '{"final_answer": 1e400}',
    '{"final_answer": 12345678901234567890}',
    `{"final_answer": ${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
    "[".repeat(20_000),
    "```ts\n".repeat(10_000),
  ];
}
