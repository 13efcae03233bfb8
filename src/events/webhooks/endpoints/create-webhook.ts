import { commit, openDatabase } from "../../../platform/database.ts";
import { success } from "../../../platform/http/answers.ts";
import type { CreateContext } from "../../../platform/http/idempotency.ts";
import { log } from "../../../platform/log.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { validationProblem } from "../../../platform/http/validation.ts";
import { allowsPrivateNetwork } from "../../../platform/network/index.ts";
import {
  countWebhooks,
  insertWebhook,
  isInserted,
  typesOf,
  type Webhook,
  WEBHOOKS_PER_WORKSPACE,
} from "./repository.ts";
import { requireAccepting } from "./require-accepting.ts";
import { type CreateWebhook, urlIssues } from "./schemas.ts";
import { newSecret, sealSecret } from "../records/secrets.ts";
import { toWebhook } from "./to-webhook.ts";
import { withoutFragment } from "./without-fragment.ts";
import { withKeys } from "../../../platform/http/with-keys.ts";

const limitReached = () =>
  new Problem("webhook_limit_reached", `a workspace has at most ${WEBHOOKS_PER_WORKSPACE} webhooks`);

/**
 * Creates a webhook after its URL has accepted a verification request. All other checks come before that request.
 *
 * @returns the webhook with its secret; afterwards, only `revealSecret` returns it, and `rotateSecret` its successor
 * @throws {Problem} validation_failed, webhook_limit_reached, unavailable
 */
export async function createWebhook(body: CreateWebhook, { env, workspaceId, now, keep }: CreateContext) {
  const issues = urlIssues(body, allowsPrivateNetwork(env));
  if (issues.length > 0) throw validationProblem({ issues }, { data: body, schema: null });
  const db = openDatabase(env.DB);
  if ((await countWebhooks(db, workspaceId)) >= WEBHOOKS_PER_WORKSPACE) throw limitReached();
  const id = crypto.randomUUID();
  const secret = newSecret();
  const sealed = await withKeys(env, (keys) => sealSecret(keys, id, secret));
  const webhook = newWebhook(id, workspaceId, body, sealed, now);
  if (!body.skipVerification) await requireAccepting(env, webhook.url);
  const created = { id, answer: success({ ...toWebhook(webhook, now), secret }) };
  const kept = await keep(created, isInserted(id));
  const [inserted] = await commit(env.DB, [insertWebhook(db, webhook), ...kept]);
  if (inserted!.meta.changes === 0) throw limitReached();
  log("webhook.created", { webhookId: id, workspaceId, verified: !body.skipVerification });
  return created;
}

export function newWebhook(id: string, workspaceId: string, body: CreateWebhook, secret: string, now: Date): Webhook {
  return {
    id,
    workspaceId,
    url: withoutFragment(body.url),
    description: body.description || null,
    ...typesOf(body.eventTypes),
    naming: body.naming,
    eventSecrets: body.events.secrets,
    enabled: body.enabled,
    objectId: null,
    secret,
    previousSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    disabledReason: null,
    disabledAt: null,
    lastAttemptAt: null,
    lastStatus: null,
    lastFailure: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}
