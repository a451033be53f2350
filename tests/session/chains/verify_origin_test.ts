import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { InvalidRequestError, textMessage } from "../../../mod.ts";
import { contextAt, continued, readLog, verifyOrigin } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { digest } from "../../../types/mod.ts";
import { made, PROTOCOLS } from "./chain_world.ts";

const SCRIPT = ["do a", "do b", "answer 1"];

for (const protocol of PROTOCOLS) {
  Deno.test(`verifyOrigin() tells an unchanged fork, a continuation and an edit from each other, by the protocol ${protocol}`, async () => {
    const store = memoryStore();
    const { log, lines } = await made(store, protocol, SCRIPT);
    const fork = async (spec: Parameters<typeof made>[3]) =>
      (await made(memoryStore(), protocol, ["answer 2"], { runId: "b", ...spec })).log;
    for (let at = 0; at <= 3; at++) {
      assertEquals(verifyOrigin(await fork(contextAt(log, at)), log), { ok: true, added: 0 });
      const { context, ...inherited } = contextAt(log, at);
      for (let message = 0; message < context.goalLevel.length; message++) {
        const edited = context.goalLevel.map((each, i) =>
          i === message ? { ...each, content: [{ type: "text" as const, text: "edited" }] } : each
        );
        if (protocol === "native" && message > 0) continue;
        const other = await fork({ ...inherited, context: { ...context, goalLevel: edited } });
        assertEquals(verifyOrigin(other, log), { ok: true, editedAt: message + 1, added: 0 });
      }
      const shorter = { ...context, goalLevel: context.goalLevel.slice(0, -1) };
      const cut = await fork({ ...inherited, context: shorter });
      assertEquals(verifyOrigin(cut, log), {
        ok: true,
        editedAt: context.goalLevel.length,
        added: 0,
      });
    }
    const said = [textMessage("user", "and?"), textMessage("user", "well?")];
    assertEquals(verifyOrigin(await fork(continued(log, ...said)), log), { ok: true, added: 2 });
    const before = lines.findIndex((line) => line.includes('"type":"step","stepIndex":1')) + 1;
    const earlier = await fork(contextAt(readLog(lines.slice(0, before))));
    assertEquals(verifyOrigin(earlier, log), { ok: true, added: 0 });
  });
}

Deno.test("verifyOrigin() says what does not fit: another run, another entry, other steps", async () => {
  const { log } = await made(memoryStore(), "text", SCRIPT);
  const inherited = contextAt(log, 2);
  const { derivedFrom } = inherited;
  const cases = [
    [{ runId: "q", root: "q" }, 'from run "q"'],
    [{ steps: 9, historySteps: 9 }, "has 3"],
    [{ logHead: digest("x") }, "another entry after 2 steps"],
    [{ steps: 1 }, "another entry after 1 steps"],
    [{ historySteps: 5 }, "other steps of the conversation"],
    [{ root: "q" }, "other steps of the conversation"],
  ] as const;
  for (const [change, words] of cases) {
    const spec = { ...inherited, runId: "b", derivedFrom: { ...derivedFrom, ...change } };
    const fork = await made(memoryStore(), "text", ["answer 2"], spec);
    const verdict = verifyOrigin(fork.log, log);
    assertStringIncludes(verdict.fault ?? "sound", words);
  }
  const error = assertThrows(() => verifyOrigin(log, log), InvalidRequestError);
  assertStringIncludes(error.message, "goes on from no other");
});
