import { MODEL_CASES } from "./contracts/models.ts";

for (const [subject, cases] of Object.entries(MODEL_CASES)) {
  for (const { name, run } of cases) Deno.test(`${subject} ${name}`, run);
}
