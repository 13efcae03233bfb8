/** Shared by the routes of webhooks. */
import { z } from "@hono/zod-openapi";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { Caller } from "../../platform/http/router.ts";
import type { WebhookKey } from "./repository.ts";

export const tags = ["Webhooks"];
export const security = [{ basic: [] }];
export const webhookParams = z.object({ webhookId: z.uuid().openapi({ param: { name: "webhookId", in: "path" } }) });

export const answer = <T extends z.ZodType>(data: T, description: string) => ({
  description,
  content: json(z.object({ success: z.literal(true), data })),
});
export const itemProblems = problemResponses("unauthorized", "forbidden", "webhook_not_found", "validation_failed");

export const keyOf = (caller: Caller, webhookId: string): WebhookKey => ({
  workspaceId: caller.workspaceId,
  webhookId: webhookId.toLowerCase(),
});

/** @throws {Problem} webhook_not_found, the same for another workspace's id and for one that never existed */
export function orNotFound<T>(found: T | null): T {
  if (found === null) throw new Problem("webhook_not_found", "no webhook has this id");
  return found;
}
