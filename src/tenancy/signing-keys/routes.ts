import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, pageAnswer, security, success, successPage } from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { NewestFirstQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { createSigningKey } from "./create-signing-key.ts";
import { deleteSigningKey, findSigningKey, listSigningKeys } from "./repository.ts";
import { forgetVerifyingKey } from "./verifying-key.ts";
import { CreatedSigningKey, ListedSigningKey, RevokedSigningKey, SigningKeyRecord } from "./schemas.ts";

const tags = ["Signing keys"];
const path = "/v1/iam/signing-keys";
const itemPath = `${path}/{signingKeyId}` as const;
const params = z.object({ signingKeyId: uuidParam("signingKeyId") });
const itemProblems = problemResponses("unauthorized", "forbidden", "signing_key_not_found", "validation_failed");

const createRouteDefinition = createRoute({
  operationId: "create_signing_key",
  summary: "Make an RSA key pair that signs playback tokens",
  description: "The answer has the private half, which is stored nowhere and cannot be read again.",
  method: "post",
  path,
  tags,
  security,
  request: { headers: IdempotencyHeaders },
  responses: {
    201: dataAnswer(CreatedSigningKey, "The key pair's id and private half"),
    ...problemResponses("unauthorized", "forbidden", "signing_key_limit_reached"),
  },
});
const listRoute = createRoute({
  operationId: "list_signing_keys",
  summary: "Page through signing keys, newest first",
  description: "Without the keys themselves.",
  method: "get",
  path,
  tags,
  security,
  request: { query: NewestFirstQuery },
  responses: {
    200: pageAnswer(ListedSigningKey, "One page of keys"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-signing_key_by_id",
  summary: "The public half of a signing key",
  description: "It verifies what the private half has signed.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(SigningKeyRecord, "The public half"), ...itemProblems },
});
const deleteRoute = createRoute({
  operationId: "delete_signing_key",
  summary: "Revoke a signing key",
  description: "Tokens that it signed are refused within 10 s.",
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(RevokedSigningKey, "Revoked"), ...itemProblems },
});

export const signingKeyRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => answerOnce(c, { name: `POST ${path}`, isSecret: true }, createSigningKey))
  .openapi(listRoute, async (c) => {
    const { limit, offset } = c.req.valid("query");
    const page = { page: offset, limit };
    const { keys, total } = await listSigningKeys(openDatabase(c.env.DB), c.var.caller.workspaceId, page);
    const listed = keys.map(({ id, createdAt }) => ({ id, createdAt: toTimestamp(createdAt) }));
    return c.json(successPage(listed, pagination(total, offset, limit)), 200);
  })
  .openapi(getRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const id = c.req.valid("param").signingKeyId.toLowerCase();
    const key = orNotFound(await findSigningKey(openDatabase(c.env.DB), workspaceId, id), "signing_key_not_found");
    return c.json(success({ workspaceId, signingKeyId: key.id, publicKey: key.publicKey }), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const id = c.req.valid("param").signingKeyId.toLowerCase();
    orNotFound(await deleteSigningKey(openDatabase(c.env.DB), workspaceId, id), "signing_key_not_found");
    forgetVerifyingKey(workspaceId, id);
    log("signing_key.deleted", { signingKeyId: id, workspaceId });
    return c.json(success({ message: "signing key is revoked" }), 200);
  });
