import { assertEquals, assertThrows } from "@std/assert";
import {
  canonicalJson,
  compareCodePoints,
  copyJson,
  countCodePoints,
  SerializationError,
  takeCodePoints,
} from "../../types/mod.ts";

Deno.test("countCodePoints() counts a lone surrogate as one", () => {
  assertEquals(countCodePoints("\ud83c"), 1);
  assertEquals(countCodePoints("a\ud83c\udf0a\ud83c"), 3);
});
