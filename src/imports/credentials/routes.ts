import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import {
  dataAnswer,
  DONE,
  doneAnswer,
  pageAnswer,
  security,
  success,
  successPage,
} from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { NewestFirstQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type Caller, newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { checkCredential } from "./check-credential.ts";
import { createCredential } from "./create-credential.ts";
import type { CredentialDoors } from "./definitions.ts";
import { type CredentialKey, deleteCredential, findCredential, listCredentials } from "./repository.ts";
import { CheckCredential, createCredentialBody, ImportCredentialRecord, toCredentialRecord } from "./schemas.ts";

const tags = ["Imports"];
const path = "/v1/imports/credentials";
const itemPath = `${path}/{credentialId}` as const;
const params = z.object({ credentialId: uuidParam("credentialId") });
const itemProblems = ["unauthorized", "forbidden", "import_credential_not_found", "validation_failed"] as const;

const listRoute = createRoute({
  operationId: "list-import-credentials",
  summary: "Page through credentials of sources, newest first",
  description: "Without the credentials themselves.",
  method: "get",
  path,
  tags,
  security,
  request: { query: NewestFirstQuery },
  responses: {
    200: pageAnswer(ImportCredentialRecord, "One page of credentials"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-import-credential",
  summary: "One credential of a source",
  description: "What it is known by, and what the last check found.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(ImportCredentialRecord, "The credential"), ...problemResponses(...itemProblems) },
});
const deleteRoute = createRoute({
  operationId: "delete-import-credential",
  summary: "Delete a credential of a source",
  description: "A batch that still needs it stops with `credentials_invalid`.",
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Deleted"), ...problemResponses(...itemProblems) },
});
const checkRoute = createRoute({
  operationId: "check-import-credential",
  summary: "Check a credential at its source",
  description:
    "Sends a few harmless calls. The answer is 200 also when the source refuses or does not answer: see `lastCheck`.",
  method: "post",
  path: `${itemPath}/check`,
  tags,
  security,
  request: { params, body: { required: false, content: json(CheckCredential) } },
  responses: {
    200: dataAnswer(ImportCredentialRecord, "The credential with the result in `lastCheck`"),
    ...problemResponses(...itemProblems, "unavailable"),
  },
});

const createRouteOf = ({ definitions }: CredentialDoors) =>
  createRoute({
    operationId: "create-import-credential",
    summary: "Store credentials of a source",
    description: "They are sealed, and no answer has them. At most 100 for each workspace.",
    method: "post",
    path,
    tags,
    security,
    request: {
      headers: IdempotencyHeaders,
      body: { required: true, content: json(createCredentialBody(definitions)) },
    },
    responses: {
      201: dataAnswer(ImportCredentialRecord, "The credential, not yet checked"),
      ...problemResponses(
        "unauthorized",
        "forbidden",
        "import_credential_limit_reached",
        "idempotency_conflict",
        "validation_failed",
        "unavailable",
      ),
    },
  });

const keyOf = ({ workspaceId }: Caller, credentialId: string): CredentialKey => ({
  workspaceId,
  credentialId: credentialId.toLowerCase(),
});

/** @param doors the sources whose credentials are stored, and how they are opened for a check */
export const credentialRoutes = (doors: CredentialDoors) =>
  newRouter()
    .openapi(createRouteOf(doors), (c) => {
      const body = c.req.valid("json");
      return answerOnce(c, { name: `POST ${path}`, isSecret: false }, (context) => createCredential(body, context));
    })
    .openapi(listRoute, async (c) => {
      const { limit, offset: page } = c.req.valid("query");
      const { rows, total } = await listCredentials(openDatabase(c.env.DB), c.var.caller.workspaceId, { page, limit });
      return c.json(successPage(rows.map(toCredentialRecord), pagination(total, page, limit)), 200);
    })
    .openapi(getRoute, async (c) => {
      const key = keyOf(c.var.caller, c.req.valid("param").credentialId);
      const row = orNotFound(await findCredential(openDatabase(c.env.DB), key), "import_credential_not_found");
      return c.json(success(toCredentialRecord(row)), 200);
    })
    .openapi(deleteRoute, async (c) => {
      const key = keyOf(c.var.caller, c.req.valid("param").credentialId);
      orNotFound(await deleteCredential(openDatabase(c.env.DB), key), "import_credential_not_found");
      log("import_credential.deleted", { ...key });
      return c.json(DONE, 200);
    })
    .openapi(checkRoute, async (c) => {
      const key = keyOf(c.var.caller, c.req.valid("param").credentialId);
      const { options = {} } = c.req.valid("json") as Partial<z.output<typeof CheckCredential>>; // {} without a body
      const row = orNotFound(
        await checkCredential(c.env, key, options, doors, new Date()),
        "import_credential_not_found",
      );
      return c.json(success(toCredentialRecord(row)), 200);
    });
