import { env } from "cloudflare:test";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { openDatabase } from "../../src/platform/database.ts";
import type { Env } from "../../src/platform/env.ts";
import { createFetch } from "../../src/app.ts";
import { sha256Hex } from "../../src/platform/crypto/hash.ts";
import { credentials, workspaces } from "../../src/tenancy/workspaces/tables.ts";
import { asInvocation } from "./limits/cloudflare-limits.ts";

const answer = createFetch();

/** A workspace of its own with one pair of credentials, and requests in its name. */
export interface TestWorkspace {
  id: string;
  authorization: string;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Sends a request through the whole Worker; what it leaves to `waitUntil` is done when the answer is here. */
export async function send(request: Request, overrides: Partial<Env> = {}): Promise<Response> {
  const context = createExecutionContext();
  const response = await asInvocation(() => answer(request, { ...env, ...overrides }, context));
  await waitOnExecutionContext(context);
  return response;
}

export async function newWorkspace(overrides: Partial<Env> = {}): Promise<TestWorkspace> {
  const db = openDatabase(env.DB);
  const [id, username, password] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const createdAt = new Date();
  await db.batch([
    db.insert(workspaces).values({ id, organisationId: crypto.randomUUID(), name: "test", createdAt }),
    db
      .insert(credentials)
      .values({ id: username, workspaceId: id, name: "test", secretHash: await sha256Hex(password), createdAt }),
  ]);
  const authorization = `Basic ${btoa(`${username}:${password}`)}`;
  return {
    id,
    authorization,
    request(method, path, body, headers = {}) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const init = {
        method,
        headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      };
      return send(
        new Request(`http://sluice.test${path}`, { ...init, ...(body === undefined ? {} : { body: text }) }),
        overrides,
      );
    },
  };
}

export interface ErrorBody {
  success: false;
  error: {
    code: number;
    message: string;
    description?: string;
    fields?: { field: string; message: string }[];
    hints?: { field: string; message: string }[];
  };
}

export const videoFrom = (url: string, more: object = {}) => ({
  inputs: [{ type: "video", url, ...more }],
  accessPolicy: "public",
});

export interface MediaAnswer {
  success: true;
  playback_id?: string;
  data: {
    id: string;
    playbackIds: { id: string }[];
    metadata: Record<string, string>;
    title?: string;
    status: string;
  } & Record<string, unknown>;
}
