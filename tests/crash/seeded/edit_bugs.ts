import type { Edit, SeededBug } from "./seeded_bug.ts";

/** Faults of the kernel in editing prompts. */
export const EDIT_BUGS: readonly SeededBug[] = [
  bug("make an edit that is not on record", {
    within: "session/_step",
    find:
      'ExpressionStatement:has(> CallExpression[callee.property.name="record"] Literal[value="context_edit"])',
    put: () => "",
  }),
  bug("restore an edited step on a resume", {
    within: "session/_start",
    find: 'Literal[value="context_edit"]',
    put: () => '"nothing"',
  }, "goes on"),
  bug("ask for a summary again that is on record", {
    within: "session/_step",
    find: 'BinaryExpression:has(> ChainExpression):has(> Literal[value="replied"])',
    put: () => "false",
  }, "goes on"),
  bug("leave a call without its result", {
    within: "logic/_assembly",
    find:
      'CallExpression[callee.property.name="map"]:has(> ArrowFunctionExpression Literal[value="elide_observations"])',
    put: (text) => `${text()}.filter(({ edit }) => edit === undefined)`,
  }),
  bug("edit the last step", {
    within: "logic/_assembly",
    find: 'BinaryExpression[operator=">="]:has(> BinaryExpression[operator="-"])',
    put: () => "false",
  }),
  bug("plan an editing anew that has begun", {
    within: "session/_reading",
    find: 'LogicalExpression:has(> ChainExpression MemberExpression[property.name="beforeChars"])',
    put: (text) => text("right"),
  }),
  bug(
    "leave a prompt that was too long more than half of its size",
    {
      within: "session/_reading",
      find: 'BinaryExpression[operator="/"]:has(> Literal[value=2])',
      put: (text) => `${text("left")} * 0.9`,
    },
    "verified",
    "too_long",
  ),
];

function bug(
  name: string,
  edit: Edit,
  invariant = "verified",
  script = "edited",
): SeededBug {
  const where = { script, store: "memory", by: "crashes" } as const;
  return { name, edits: [edit], ...where, invariant, alone: false };
}
