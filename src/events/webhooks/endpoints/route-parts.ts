/** Shared by the routes of webhooks. */
import { z } from "@hono/zod-openapi";
import { problemResponses } from "../../../platform/http/openapi.ts";
import { orNotFound } from "../../../platform/http/problems.ts";
import { uuidParam } from "../../../platform/http/requests.ts";
import type { Caller } from "../../../platform/http/router.ts";
import type { WebhookKey } from "./repository.ts";

export const tags = ["Webhooks"];
export const webhookParams = z.object({ webhookId: uuidParam("webhookId") });

export const itemProblems = problemResponses("unauthorized", "forbidden", "webhook_not_found", "validation_failed");

export const keyOf = (caller: Caller, webhookId: string): WebhookKey => ({
  workspaceId: caller.workspaceId,
  webhookId: webhookId.toLowerCase(),
});

/** @throws {Problem} webhook_not_found */
export const orWebhookNotFound = <T>(found: T | null): T => orNotFound(found, "webhook_not_found");
