import { createRoute } from "@hono/zod-openapi";
import { dataAnswer, security, success } from "../../../platform/http/answers.ts";
import { problemResponses } from "../../../platform/http/openapi.ts";
import { newRouter } from "../../../platform/http/router.ts";
import { revealSecret } from "./reveal-secret.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { itemProblems, keyOf, orWebhookNotFound, tags, webhookParams as params } from "./route-parts.ts";
import { CreatedWebhook, WebhookSecret } from "./schemas.ts";
import { toWebhook } from "./to-webhook.ts";

const revealRoute = createRoute({
  operationId: "reveal-webhook-secret",
  summary: "Reveal the signing secret",
  description: "The secret that signs now. Also returned on creation and by a rotation.",
  method: "post",
  path: "/v1/webhooks/{webhookId}/secret/reveal",
  tags,
  security,
  request: { params },
  responses: {
    200: dataAnswer(WebhookSecret, "The current secret"),
    ...itemProblems,
    ...problemResponses("unavailable"),
  },
});
const rotateRoute = createRoute({
  operationId: "rotate-webhook-secret",
  summary: "Rotate the signing secret",
  description:
    "The new secret signs `Service-Signature` at once. For 24 h `webhook-signature` carries a signature with the old secret too, " +
    "and a second rotation is refused.",
  method: "post",
  path: "/v1/webhooks/{webhookId}/secret/rotate",
  tags,
  security,
  request: { params },
  responses: {
    200: dataAnswer(
      CreatedWebhook,
      "The webhook with its new secret; the old one signs too until `previousSecretUntil`",
    ),
    ...itemProblems,
    ...problemResponses("secret_rotated_recently", "unavailable"),
  },
});

export const secretRoutes = newRouter()
  .openapi(revealRoute, async (c) => {
    const secret = orWebhookNotFound(await revealSecret(c.env, keyOf(c.var.caller, c.req.valid("param").webhookId)));
    c.header("cache-control", "no-store");
    return c.json(success({ secret }), 200);
  })
  .openapi(rotateRoute, async (c) => {
    const now = new Date();
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const { webhook, secret } = orWebhookNotFound(await rotateSecret(c.env, key, now));
    c.header("cache-control", "no-store");
    return c.json(success({ ...toWebhook(webhook, now), secret }), 200);
  });
