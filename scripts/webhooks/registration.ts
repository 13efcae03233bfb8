import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BrokenFile, readTexts } from "../secrets/read-texts.ts";

/** A running local platform, read from its home's `local.json`. */
export interface Api {
  baseUrl: string;
  /** The header's value. */
  authorization: string;
}

/** Longer than the platform's timeout for the receiver when a webhook is created. */
const ANSWER_LIMIT_MS = 15_000;

/** The message is for the user. */
export class RegistrationError extends Error {}

export interface Registration {
  webhookId: string;
  secret: string;
  /** Deletes the webhook; false when the platform does not answer any more. */
  remove(): Promise<boolean>;
}

/** @throws {RegistrationError} when no platform is running, or its file is broken */
export async function findLocalApi(home: string): Promise<Api> {
  const path = join(home, "local.json");
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null)
    throw new RegistrationError(`No platform runs here: there is no ${path}. Start it with npm start.`);
  const { baseUrl, username, password } = parseLocal(path, text);
  return {
    baseUrl,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
  };
}

function parseLocal(path: string, text: string) {
  try {
    return readTexts(path, text, ["baseUrl", "username", "password"]);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new RegistrationError(`${error.message}. Restart the platform, which writes it again.`);
  }
}

/**
 * Creates a webhook for a listening receiver. Deletes webhooks with the same description first: they were left by receivers that were
 * killed, because only this script uses the description.
 *
 * @throws {RegistrationError} when the platform refuses, with its message
 */
export async function register(
  api: Api,
  webhook: { url: string; description: string; eventTypes?: string[] },
): Promise<Registration> {
  for (const { id, description } of await listWebhooks(api))
    if (description === webhook.description) await remove(api, id);
  const { status, body } = await call(api, "POST", "/v1/webhooks", webhook);
  if (status !== 201) throw new RegistrationError(inWords(status, body));
  const { id, secret } = body.data as { id: string; secret: string };
  return { webhookId: id, secret, remove: () => remove(api, id) };
}

interface Listed {
  id: string;
  description?: string;
}

async function listWebhooks(api: Api): Promise<Listed[]> {
  const { status, body } = await call(api, "GET", "/v1/webhooks?limit=50"); // the maximum number of webhooks
  if (status !== 200) throw new RegistrationError(inWords(status, body));
  return body.data as Listed[];
}

async function remove(api: Api, webhookId: string): Promise<boolean> {
  const { status } = await call(api, "DELETE", `/v1/webhooks/${webhookId}`).catch(() => ({ status: 0 }));
  return status === 200 || status === 404;
}

interface Body {
  data?: unknown;
  error?: { message: string; description?: string; fields?: { field: string; message: string }[] };
}

async function call(api: Api, method: string, path: string, json?: object): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${api.baseUrl}${path}`, {
    method,
    headers: { authorization: api.authorization, "content-type": "application/json" },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  }).catch((cause: unknown) => {
    throw new RegistrationError(`The platform at ${api.baseUrl} does not answer.`, { cause });
  });
  return { status: response.status, body: (await response.json()) as Body };
}

function inWords(status: number, { error }: Body): string {
  const fields = error?.fields?.map(({ field, message }) => `${field} ${message}`).join("; ");
  const refusal = `The platform refused the webhook (${status}): ${fields ?? error?.description ?? error?.message}.`;
  const isAddress = error?.fields?.some(({ field }) => field === "url") ?? false;
  const hint = "\nThe platform sends to this machine only when it runs with ALLOW_PRIVATE_NETWORK=true npm start.";
  return isAddress ? `${refusal}${hint}` : refusal;
}
