import { contextPolicyShape } from "../_shape/context_shapes.ts";
import { checkShape } from "../_shape/shape.ts";
import { camelCase, snakeCase } from "../_text/snake_case.ts";
import { present } from "../_shape/present.ts";
import type { ContextPolicy, ContextStage } from "./context_policy.ts";

type Texts = Readonly<Record<string, string>>;

/** A policy as keys of the parameter snapshot; each stage's fields under its place, from 0. */
export function writePolicy({ stages, pinnedTools, ...numbers }: ContextPolicy): Texts {
  return {
    ...snakeKeys(numbers),
    ...present({ pinned_tools: pinnedTools?.join(",") }),
    ...Object.fromEntries(stages.flatMap(stageEntries)),
  };
}

function stageEntries(stage: ContextStage, place: number): [key: string, text: string][] {
  return Object.entries(snakeKeys(stage)).map(([key, text]) => [`stage.${place}.${key}`, text]);
}

function snakeKeys(fields: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [snakeCase(name), String(value)]),
  );
}

/** The policy that keys of the parameter snapshot give. Absent: they give none, or none that can be. */
export function readPolicy(texts: Texts): ContextPolicy | undefined {
  const fields = new Map<string, unknown>();
  const stages: Record<string, unknown>[] = [];
  for (const [key, text] of Object.entries(texts)) {
    const [, place, field] = /^stage\.(0|[1-9]\d{0,3})\.(\w+)$/.exec(key) ?? [];
    if (place === undefined || field === undefined) fields.set(camelCase(key), valueOf(key, text));
    else (stages[Number(place)] ??= {})[camelCase(field)] = valueOf(field, text);
  }
  const policy = { ...Object.fromEntries(fields), stages: Array.from(stages) };
  const checked = checkShape(policy, contextPolicyShape, { unknownFields: true });
  return checked.ok ? checked.value : undefined;
}

const TEXTS: readonly string[] = ["kind", "notice", "instruction"];

function valueOf(key: string, text: string): unknown {
  if (TEXTS.includes(key)) return text;
  if (key === "pinned_tools") return text === "" ? [] : text.split(",");
  return /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : text;
}
