import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import { UnusableSecret } from "../../../protocol/secrets.ts";
import type { Env } from "../env.ts";
import { errorFields, logError } from "../log.ts";
import { bodySchemaOf, withWarnings } from "./warnings.ts";
import type { FieldProblem } from "./hints/field-problem.ts";
import { Problem, PROBLEMS, problemResponse } from "./problems.ts";
import { unmigratedProblem } from "./unmigrated.ts";
import { notJson, validationProblem } from "./validation.ts";

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
    /** From the handler, for the response's `warnings`. */
    warnings?: FieldProblem[];
    /** Settles when the consumer that the body was passed on to has read it to its end (`lingering.ts`). */
    bodyIsRead?: Promise<unknown>;
  };
}

type Route = Parameters<OpenAPIHono<AppContext>["openapi"]>[0];
type Hook = (result: CheckedInput, c: { env: Env }) => undefined;

interface CheckedInput {
  target: string;
  error?: Pick<z.core.$ZodError, "issues">;
  /** The value as it was sent. */
  data?: unknown;
  /** The route's schema for this target. */
  schema?: z.core.$ZodType | null;
}

/** A router that validates bodies, queries and paths by the routes' schemas, and names the unknown fields of accepted bodies. */
export function newRouter() {
  const router = new OpenAPIHono<AppContext>();
  const register = router.openapi as (route: Route, handler: unknown, hook: Hook) => typeof router;
  const openapi = (route: Route, handler: unknown, hook: Hook = refuseInvalid) =>
    register(withWarnings(route), handler, (result, c) =>
      hook({ ...result, schema: schemaOf(route, result.target) }, c),
    );
  router.openapi = openapi as unknown as typeof router.openapi;
  return router;
}

function refuseInvalid({ error, data, schema = null, target }: CheckedInput): undefined {
  if (error !== undefined) throw validationProblem(error, { data, schema, target });
}

/**
 * The hook of a route whose body has issues that depend on the deployment, such as a forbidden URL. They are reported together with those
 * of the schema, so that the caller sees all invalid fields at once.
 */
export const reportAllIssues =
  (issuesOf: (body: unknown, env: Env) => z.core.$ZodIssue[]): Hook =>
  ({ error, data, schema = null, target }, c) => {
    if (error === undefined) return;
    const more = target === "json" ? issuesOf(data, c.env) : [];
    throw validationProblem({ issues: [...error.issues, ...more] }, { data, schema, target });
  };

function schemaOf({ request }: Route, target: string): z.core.$ZodType | null {
  const schemas = {
    json: bodySchemaOf(request),
    query: request?.query,
    param: request?.params,
    header: request?.headers,
  };
  const schema = schemas[target as keyof typeof schemas];
  return schema !== undefined && schema !== null && "_zod" in schema ? schema : null;
}

/** Renders every error of the API. */
export async function renderError(error: unknown, { req, var: { requestId } }: Context<AppContext>): Promise<Response> {
  const isMalformed = error instanceof HTTPException && error.status === NOT_JSON;
  return renderFailure(isMalformed ? await malformed(req) : error, requestId);
}

/** Renders an error of a request whose body is not JSON. */
export function renderFailure(error: unknown, requestId: string): Response {
  const problem = toProblem(error);
  if (PROBLEMS[problem.code].status >= 500 && !problem.isLogged) {
    logError("request.failed", { requestId, code: problem.code, ...errorFields(error) });
  }
  return problemResponse(problem);
}

const NOT_JSON = 400;

/** What is wrong with a body that Hono could not parse. The text is cached, so it can be read again. */
const malformed = async (req: Context<AppContext>["req"]): Promise<Problem> => notJson(await req.text());

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HTTPException && error.status === 415) {
    return new Problem("validation_failed", "the body is not announced as JSON", {
      fields: [{ field: "content-type", message: "must be application/json" }],
    });
  }
  if (error instanceof UnusableSecret)
    return new Problem("unavailable", "the deployment's secrets are not usable", { cause: error });
  return (
    unmigratedProblem(error) ??
    new Problem("internal", "the failure is logged under this request's id", { cause: error })
  );
}
