import { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import { UnusableSecret } from "../../../protocol/secrets.ts";
import type { Env } from "../env.ts";
import { logError } from "../log.ts";
import { type FieldProblem, Problem, PROBLEMS, problemResponse } from "./problems.ts";

/** The authenticated caller. Requests see only data of this workspace. */
export interface Caller {
  workspaceId: string;
  credentialId: string;
}

export interface AppContext {
  Bindings: Env;
  Variables: {
    caller: Caller;
    requestId: string;
    /** Ids of the objects that the request created, for the request log. */
    createdIds?: string[];
    /** Settles when the consumer that the body was passed on to has read it to its end (`lingering.ts`). */
    bodyIsRead?: Promise<unknown>;
  };
}

/** A router that validates bodies, queries and paths by the routes' schemas. */
export function newRouter() {
  return new OpenAPIHono<AppContext>({
    defaultHook: (result) => {
      if (!result.success) throw validationProblem(result.error, (result as { data?: unknown }).data, result.target);
    },
  });
}

/**
 * The hook of a route whose body has issues that depend on the deployment, such as a forbidden URL. They are reported together with those
 * of the schema, so that the caller sees all invalid fields at once.
 */
export const reportAllIssues =
  (issuesOf: (body: unknown, env: Env) => z.core.$ZodIssue[]) =>
  (result: CheckedInput, c: { env: Env }): undefined => {
    if (result.error === undefined) return;
    const { data } = result as { data?: unknown };
    const more = result.target === "json" ? issuesOf(data, c.env) : [];
    throw validationProblem({ issues: [...result.error.issues, ...more] }, data, result.target);
  };
interface CheckedInput {
  target: string;
  error?: Pick<z.core.$ZodError, "issues">;
}

/** The name of a field in error responses, for example `inputs[0].url`. */
function fieldName(path: PropertyKey[]): string {
  return path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : name ? `${name}.${String(part)}` : String(part)),
    "",
  );
}

/** @param data the validated value, to distinguish missing from invalid fields */
export function validationProblem(error: Pick<z.core.$ZodError, "issues">, data: unknown, target = "json"): Problem {
  const fields = new Map<string, string>();
  for (const issue of error.issues) {
    for (const { path, message } of flatten(issue, data)) {
      const field = fieldName(path) || (target === "json" ? "body" : target);
      if (!fields.has(field)) fields.set(field, message);
    }
  }
  return new Problem("validation_failed", "validation failed", {
    fields: [...fields].map(([field, message]): FieldProblem => ({ field, message })),
  });
}

/** The contract defines two messages; a schema may define others through a custom issue. */
function flatten(issue: z.core.$ZodIssue, data: unknown): { path: PropertyKey[]; message: string }[] {
  const { path } = issue;
  if (issue.code === "custom") return [{ path, message: issue.message }];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: [...path, key], message: "is invalid" }));
  const value = path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key],
    data,
  );
  return [{ path, message: value === undefined || value === null ? "must not be null" : "is invalid" }];
}

/** Renders every error of the API. */
export function renderError(error: unknown, requestId: string): Response {
  const problem = toProblem(error);
  if (PROBLEMS[problem.code].status >= 500) {
    const { stack, cause } = error instanceof Error ? error : {};
    logError("request.failed", {
      requestId,
      code: problem.code,
      error: String(error),
      cause: cause instanceof Error ? cause.message : cause,
      stack,
    });
  }
  return problemResponse(problem);
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HTTPException && error.status === 400) {
    return new Problem("validation_failed", "the body is not JSON", {
      fields: [{ field: "body", message: "is not JSON" }],
    });
  }
  if (error instanceof HTTPException && error.status === 415) {
    return new Problem("validation_failed", "the body is not announced as JSON", {
      fields: [{ field: "content-type", message: "must be application/json" }],
    });
  }
  if (error instanceof UnusableSecret)
    return new Problem("unavailable", "the deployment's secrets are not usable", { cause: error });
  return new Problem("internal", "the failure is logged under this request's id", { cause: error });
}
