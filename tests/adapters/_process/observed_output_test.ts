import { assertEquals } from "@std/assert";
import { observedOutput } from "../../../adapters/_process/observed_output.ts";

Deno.test("observedOutput() shows nothing of a process where there is no room for it, and says so", () => {
  const wrote = { label: "", beginning: "1\n", end: "", truncatedChars: 3 };
  const options = {
    maxOutputChars: 0,
    truncationNotice: "[{truncatedChars} gone]",
    noOutput: "(nothing)",
    notes: [],
  };
  assertEquals(observedOutput([wrote], options), {
    observation: "[5 gone]",
    observationSynthetic: true,
    truncatedChars: 5,
  });
});
