import { ApiError, type Sluice } from "../../index.ts";
import { CommandError } from "../terminal/usage-error.ts";

export interface Registration {
  webhookId: string;
  secret: string;
  /** Deletes the webhook; false when the platform does not answer any more. */
  remove(): Promise<boolean>;
}

/** The most webhooks of a workspace, on one page. */
const MOST = 50;

/**
 * Creates a webhook for a listening receiver. Deletes webhooks with the same description first: they were left by receivers that were
 * killed, because only receivers of this kind use the description.
 *
 * @throws {CommandError} when the platform refuses, with its message
 */
export async function register(
  sluice: Sluice,
  webhook: { url: string; description: string; eventTypes?: string[] },
): Promise<Registration> {
  const { data: existing } = await sluice.get("/v1/webhooks", { params: { query: { limit: MOST } } });
  for (const { id, description } of existing) if (description === webhook.description) await remove(sluice, id);
  try {
    const { data } = await sluice.post("/v1/webhooks", { body: webhook });
    return { webhookId: data.id, secret: data.secret, remove: () => remove(sluice, data.id) };
  } catch (error) {
    throw error instanceof ApiError ? new CommandError(inWords(error), { cause: error }) : error;
  }
}

const remove = (sluice: Sluice, webhookId: string): Promise<boolean> =>
  sluice.delete("/v1/webhooks/{webhookId}", { params: { path: { webhookId } } }).then(
    () => true,
    (error: unknown) => error instanceof ApiError && error.status === 404,
  );

function inWords({ status, message, fields }: ApiError): string {
  const invalid = fields.map(({ field, message }) => `${field} ${message}`).join("; ");
  const refusal = `The platform refused the webhook (${status}): ${invalid || message}.`;
  const hint = "\nThe platform sends to this machine only when it runs with ALLOW_PRIVATE_NETWORK=true npm start.";
  return fields.some(({ field }) => field === "url") ? `${refusal}${hint}` : refusal;
}
