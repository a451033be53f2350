import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type Command, helpOf, sortWords, UsageError } from "../../cli/_command.ts";

/** A command with these operands; a last one that ends in `...` may come any number of times. */
function command(...names: string[]): Command {
  const more = names.find((name) => name.endsWith("..."))?.slice(0, -"...".length);
  return {
    name: "cut",
    summary: "Cut it",
    operands: names.filter((name) => !name.endsWith("...")),
    ...(more === undefined ? {} : { more }),
    options: { to: { value: "LENGTH", help: "how long" }, quiet: { help: "say\nnothing" } },
    details: "Details.",
    run: () => Promise.resolve(0),
  };
}

function sorted(operands: string[], args: string[]): unknown {
  const made = command(...operands);
  const { operand, more, values, flags } = sortWords(made, args);
  return [[...made.operands.map(operand), ...more], [...values], [...flags]];
}

Deno.test("sortWords() sorts operands, values and flags in any order", () => {
  const cases: [string[], string[], unknown][] = [
    [[], [], [[], [], []]],
    [["a"], ["x"], [["x"], [], []]],
    [["a"], ["--to", "3", "x"], [["x"], [["to", "3"]], []]],
    [["a"], ["x", "--to=3"], [["x"], [["to", "3"]], []]],
    [["a"], ["x", "--to=a=b\nc"], [["x"], [["to", "a=b\nc"]], []]],
    [["a"], ["x", "--to=--quiet"], [["x"], [["to", "--quiet"]], []]],
    [["a"], ["x", "--to", "-1"], [["x"], [["to", "-1"]], []]],
    [["a"], ["--quiet", "x"], [["x"], [], ["quiet"]]],
    [["a"], ["--", "--quiet"], [["--quiet"], [], []]],
    [["a"], ["-"], [["-"], [], []]],
    [["a..."], [], [[], [], []]],
    [["a..."], ["x", "--quiet", "y"], [["x", "y"], [], ["quiet"]]],
    [["a", "b..."], ["x", "y", "z"], [["x", "y", "z"], [], []]],
  ];
  for (const [operands, args, expected] of cases) assertEquals(sorted(operands, args), expected);
});

Deno.test("sortWords() says what it cannot understand", () => {
  const cases: [string[], string[], string][] = [
    [[], ["--from"], 'there is no option "--from", only --to, --quiet, --help'],
    [[], ["--toString"], 'there is no option "--toString"'],
    [[], ["--from=3"], 'there is no option "--from=3"'],
    [[], ["-q"], 'there is no option "-q"'],
    [[], ["--to"], "--to needs a value, LENGTH"],
    [[], ["--to", "--quiet"], "--to needs a value, LENGTH"],
    [[], ["--to="], "--to needs a value, LENGTH"],
    [[], ["--to", ""], "--to needs a value, LENGTH"],
    [[], ["--quiet=1"], "--quiet takes no value"],
    [[], ["--quiet", "--quiet"], "--quiet is there twice"],
    [[], ["--to", "1", "--to=2"], "--to is there twice"],
    [["a"], [], "it needs <a>"],
    [["a", "b"], ["x"], "it needs <b>"],
    [["a", "b..."], [], "it needs <a>"],
    [["a"], ["x", "y"], 'there is no place for "y"'],
  ];
  for (const [operands, args, expected] of cases) {
    assertThrows(
      () => sorted(operands, args),
      UsageError,
      `Cannot understand the command line of "cut" as ${expected}`,
    );
  }
});

Deno.test("helpOf() shows each operand and option", () => {
  const help = helpOf(command("a", "b..."));
  assertStringIncludes(help, "Usage: cut <a> [b...] [options]\n\nCut it.\n\n");
  assertStringIncludes(
    help,
    "  --to LENGTH  how long\n  --quiet      say\n               nothing\n  --help",
  );
  assertStringIncludes(help, "\n\nDetails.");
});
