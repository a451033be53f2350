import { INTERPRETER_CASES } from "./contracts/interpreters.ts";

for (const [subject, cases] of Object.entries(INTERPRETER_CASES)) {
  for (const { name, run } of cases) Deno.test(`${subject} ${name}`, run);
}
