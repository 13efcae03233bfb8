/** Turns the issues that a schema finds into the contract's 422 (media contract, Errors). */
import type { z } from "@hono/zod-openapi";
import { follow, hintOf } from "./hints/issue-hints.ts";
import type { FieldProblem } from "./hints/field-problem.ts";
import { Problem } from "./problems.ts";
import { fieldsOf, objectOption } from "./hints/schema-parts.ts";
import {
  fieldName,
  MAX_UNKNOWN_FIELDS,
  unknownField,
  unknownFields,
  unknownParameters,
} from "./hints/unknown-fields.ts";

/** What was validated: `target` is where it came from. */
export interface Validated {
  data: unknown;
  /** Null when only custom issues can occur. */
  schema: z.core.$ZodType | null;
  target?: string;
}

/** The validation_failed problem with every invalid field, each named once. */
export function validationProblem(
  error: Pick<z.core.$ZodError, "issues">,
  { data, schema, target = "json" }: Validated,
): Problem {
  const fields = new Map<string, FieldProblem>();
  for (const issue of error.issues.flatMap((one) => meantIssues(one, schema, data)))
    for (const { field: name, ...rest } of problemsOf(issue, schema, data)) {
      if (target === "query" && rest.hint === "is required") rest.hint = "is required, as a query parameter";
      const field = name || (target === "json" ? "body" : target);
      if (!fields.has(field)) fields.set(field, { field, ...rest });
    }
  const unknown = unknownOf(target, schema, data).filter(({ field }) => !isExplained(field, fields));
  return new Problem("validation_failed", "validation failed", { fields: [...fields.values()], unknown });
}

/** An object that fits no option of a union, and can only be meant as one of them, has the issues of that one. */
function meantIssues(issue: z.core.$ZodIssue, schema: z.core.$ZodType | null, data: unknown): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || schema === null) return [issue];
  const { schemas, value } = follow(schema, data, issue.path);
  const inner = schemas[0] && issue.errors[objectOption(schemas[0], value)];
  if (inner === undefined || inner.length === 0) return [issue];
  return inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

/** @param text of a body that cannot be parsed */
export function notJson(text: string): Problem {
  const message = text === "" ? "is empty" : "is not JSON";
  const place = placeOfError(text);
  const hint = `must be a JSON document${place === null ? "" : `; the error is in line ${place.line}, column ${place.column}`}`;
  return new Problem("validation_failed", `the body ${message}`, { fields: [{ field: "body", message, hint }] });
}

/** Where a document stops being JSON, counted from 1; null when the parser does not say. */
function placeOfError(text: string): { line: number; column: number } | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec((error as Error).message) ?? [];
    return line === undefined ? null : { line: Number(line), column: Number(column) };
  }
}

function unknownOf(target: string, schema: z.core.$ZodType | null, data: unknown): FieldProblem[] {
  if (schema === null) return [];
  if (target === "json") return unknownFields(schema, data);
  return target === "query" && typeof data === "object" && data !== null ? unknownParameters(schema, data) : [];
}

/** Whether the field is refused itself, or belongs to an object whose kind is. */
const isExplained = (field: string, refused: Map<string, FieldProblem>): boolean =>
  refused.has(field) || refused.has(`${field.slice(0, field.lastIndexOf(".") + 1)}type`);

function problemsOf(issue: z.core.$ZodIssue, schema: z.core.$ZodType | null, data: unknown): FieldProblem[] {
  if (issue.code === "unrecognized_keys" && schema !== null) return unknownKeys(issue, schema, data);
  const message = issue.code === "custom" ? issue.message : contractMessage(issue, data);
  const hint = hintOf(issue, schema, data);
  return [{ field: fieldName(issue.path), message, ...(hint === null ? {} : { hint }) }];
}

/** The contract's two messages. A schema may define others through a custom issue. */
function contractMessage({ path }: z.core.$ZodIssue, data: unknown): string {
  const value = path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key],
    data,
  );
  return value === undefined || value === null ? "must not be null" : "is invalid";
}

function unknownKeys(
  { path, keys }: z.core.$ZodIssueUnrecognizedKeys,
  schema: z.core.$ZodType,
  data: unknown,
): FieldProblem[] {
  const { schemas, value } = follow(schema, data, path);
  const fields = (schemas[0] && fieldsOf(schemas[0], value)) ?? {};
  return keys.slice(0, MAX_UNKNOWN_FIELDS).map((key) => {
    const { field, message } = unknownField(schema, { fields, path, name: key, value: null });
    return { field, message: "is invalid", hint: message };
  });
}
