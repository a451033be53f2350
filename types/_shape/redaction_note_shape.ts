import type { RedactionNote } from "../_ids/redaction_note.ts";
import { objectShape } from "./object_shape.ts";
import { booleanShape, countShape, digestShape, memberShape } from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";

/** The shape of a {@link RedactionNote}. */
export const redactionNoteShape: Shape<RedactionNote> = objectShape({
  logHead: digestShape,
  rules: objectShape({
    patterns: countShape,
    pointers: countShape,
    keyed: booleanShape,
    digests: memberShape(["keep", "drop"]),
  }),
});
