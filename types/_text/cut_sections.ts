import { arrayShape } from "../_shape/collection_shapes.ts";
import { objectShape, optionalField } from "../_shape/object_shape.ts";
import { countShape, stringShape } from "../_shape/scalar_shapes.ts";
import { checkShape, type Shape } from "../_shape/shape.ts";
import type { JsonValue } from "../json.ts";

/** What of a context's report says how much of a section is in the prompt. */
interface ReportedSection {
  readonly id: string;
  readonly rawSize?: number;
  readonly finalSize?: number;
  readonly messageRange?: readonly number[];
  readonly messages?: readonly { readonly cutChars?: number }[];
}

const reportShape: Shape<{ readonly entries: readonly ReportedSection[] }> = objectShape({
  entries: arrayShape<ReportedSection>(objectShape<ReportedSection>({
    id: stringShape,
    rawSize: optionalField(countShape),
    finalSize: optionalField(countShape),
    messageRange: optionalField(arrayShape(countShape)),
    messages: optionalField(
      arrayShape(objectShape<{ readonly cutChars?: number }>({
        cutChars: optionalField(countShape),
      })),
    ),
  })),
});

function sectionsOf(report: JsonValue | undefined): readonly ReportedSection[] {
  const checked = checkShape(report, reportShape, { unknownFields: true });
  return checked.ok ? checked.value.entries : [];
}

/** The sections that are not whole in the prompt that a context's report tells of, a line each. */
export function cutSections(report: JsonValue | undefined): readonly string[] {
  return sectionsOf(report).flatMap(({ id, rawSize = 0, finalSize = 0 }) =>
    finalSize < rawSize ? [`${id} was cut by ${rawSize - finalSize} of ${rawSize}`] : []
  );
}

/** How much was cut from each message of the first prompt, by its place, as a context's report tells. */
export function cutMessages(report: JsonValue | undefined): ReadonlyMap<number, number> {
  return new Map(
    sectionsOf(report).flatMap(({ messageRange = [], messages = [] }) =>
      messages.flatMap(({ cutChars = 0 }, i): [number, number][] =>
        cutChars === 0 ? [] : [[(messageRange[0] ?? 0) + i, cutChars]]
      )
    ),
  );
}
