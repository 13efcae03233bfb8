/** Credentials of sources: sealed, checked, resealed and deleted. */
import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { openCredentials } from "../../../src/imports/credentials/open-credentials.ts";
import { deleteUnlessKept } from "../../../src/imports/credentials/repository.ts";
import { resealCredentials } from "../../../src/imports/credentials/reseal-credentials.ts";
import { credentialRoutes } from "../../../src/imports/credentials/routes.ts";
import { importCredentials } from "../../../src/imports/credentials/tables.ts";
import type { Definitions } from "../../../src/imports/credentials/definitions.ts";
import type { SourceDefinition } from "../../../src/imports/sources/definition.ts";
import { listSource } from "../../../src/imports/sources/list.ts";
import {
  type CredentialCheck,
  type Source,
  SOURCE_KINDS,
  type SourceKind,
  SourceFailure,
} from "../../../src/imports/sources/source.ts";
import { importBatches } from "../../../src/imports/store/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { newRouter, renderError } from "../../../src/platform/http/router.ts";
import { requireCredentials } from "../../../src/tenancy/credentials/credentials.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../workspace.ts";

const PATH = "/v1/imports/credentials";
const SECRET = "the secret of a source, which nobody sees";
const CREDENTIALS = { tokenId: "0123456789abcdef", tokenSecret: SECRET };

/** A source that only checks credentials. */
const definitionOf = (kind: SourceKind): SourceDefinition => ({
  kind,
  name: kind,
  baseOf: () => "https://api.source.test",
  basePath: "",
  options: z.strictObject(kind === "s3" ? { bucket: z.string() } : {}),
  credentials: z.strictObject({ tokenId: z.string(), tokenSecret: z.string() }),
  isOpenToAll: false,
  open: () => {
    throw new Error("the routes open it");
  },
});

const definitions = {
  ...Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, definitionOf(kind)])),
  list: listSource as SourceDefinition,
} as Definitions;

interface Opened {
  kind: SourceKind;
  options: unknown;
  credentials: unknown;
}

/** The API with a source that answers checks like this. */
function apiOf(
  workspace: TestWorkspace,
  check: () => CredentialCheck = () => ({ account: "a", accountName: null, missing: [] }),
) {
  const opened: Opened[] = [];
  const openSource = (_: unknown, kind: SourceKind, options: unknown, credentials: unknown) => {
    opened.push({ kind, options, credentials });
    return { check: async () => check() } as Partial<Source> as Source;
  };
  const app = newRouter();
  app.onError(renderError);
  app.use("/v1/*", requireCredentials);
  app.route("/", credentialRoutes({ definitions, openSource }));
  const request = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const context = createExecutionContext();
    const answer = await app.request(
      path,
      { method, ...init, headers: { authorization: workspace.authorization, ...type, ...headers } },
      env,
      context,
    );
    await waitOnExecutionContext(context);
    return answer;
  };
  return { request, opened };
}

interface Answer {
  data: { credentialId: string; lastCheck?: { ok: boolean } } & Record<string, unknown>;
}

const create = async (api: ReturnType<typeof apiOf>, more: object = {}) =>
  (await (await api.request("POST", PATH, { source: "mux", credentials: CREDENTIALS, ...more })).json<Answer>()).data;

test("credentials are sealed, no answer has them, and a batch opens them", async () => {
  const workspace = await newWorkspace();
  const api = apiOf(workspace);
  const answer = await api.request("POST", PATH, { source: "mux", name: "old account", credentials: CREDENTIALS });
  const text = await answer.text();
  expect(answer.status).toBe(201);
  const { data } = JSON.parse(text) as Answer;
  expect(data).toEqual({
    credentialId: expect.any(String),
    source: "mux",
    name: "old account",
    fields: ["tokenId", "tokenSecret"],
    ending: "cdef",
    keep: false,
    createdAt: expect.any(String),
  });
  const item = `${PATH}/${data.credentialId.toUpperCase()}`;
  const all = [text, await (await api.request("GET", PATH)).text(), await (await api.request("GET", item)).text()];
  const [row] = await openDatabase(env.DB).select().from(importCredentials);
  for (const seen of [...all, JSON.stringify(row)])
    expect([seen.includes(SECRET), seen.includes(CREDENTIALS.tokenId)]).toEqual([false, false]);
  expect(await openCredentials(env, workspace.id, data.credentialId)).toEqual({
    source: "mux",
    credentials: CREDENTIALS,
  });
  expect(await openCredentials(env, crypto.randomUUID(), data.credentialId)).toBeNull();
});

test.each<[string, unknown, string]>([
  ["a source without credentials", { source: "list", credentials: {} }, "source"],
  ["an unknown source", { source: "betamax", credentials: {} }, "source"],
  ["a missing field", { source: "mux", credentials: { tokenId: "x" } }, "credentials.tokenSecret"],
  ["no credentials", { source: "mux" }, "credentials"],
])("%s is refused by its field", async (_, body, field) => {
  const answer = await apiOf(await newWorkspace()).request("POST", PATH, body);
  const { error } = await answer.json<ErrorBody>();
  expect([answer.status, error.fields?.map((one) => one.field)]).toEqual([422, [field]]);
});

test("a repeat with the same Idempotency-Key makes no second credential", async () => {
  const api = apiOf(await newWorkspace());
  const send = async () =>
    await (
      await api.request("POST", PATH, { source: "mux", credentials: CREDENTIALS }, { "idempotency-key": "k" })
    ).text();
  expect(await send()).toBe(await send());
  expect((await (await api.request("GET", PATH)).json<{ data: unknown[] }>()).data).toHaveLength(1);
});

test("a check tells what is missing, and what it found stays", async () => {
  const workspace = await newWorkspace();
  const missing = [{ permission: "Video Write", message: "Files cannot be ordered.", isRequired: true }];
  const api = apiOf(workspace, () => ({ account: "acc_1", accountName: "Ours", missing }));
  const { credentialId } = await create(api);
  const checked = await api.request("POST", `${PATH}/${credentialId}/check`);
  expect([checked.status, (await checked.json<Answer>()).data]).toMatchObject([
    200,
    {
      account: "acc_1",
      accountName: "Ours",
      lastCheck: { ok: false, missing, problem: null },
      checkedAt: expect.any(String),
    },
  ]);
  expect(api.opened).toEqual([{ kind: "mux", options: {}, credentials: CREDENTIALS }]);
  const optional = missing.map((one) => ({ ...one, isRequired: false }));
  const fine = apiOf(workspace, () => ({ account: "acc_1", accountName: "Ours", missing: optional }));
  expect(
    (await (await fine.request("POST", `${PATH}/${credentialId}/check`, {})).json<Answer>()).data.lastCheck?.ok,
  ).toBe(true);
});

test.each([
  "credentials_invalid",
  "permission_missing",
  "source_unavailable",
  "source_rate_limited",
  "source_unreadable",
] as const)("a source that answers with %s is a result of the check", async (code) => {
  const workspace = await newWorkspace();
  const { credentialId } = await create(apiOf(workspace));
  await apiOf(workspace).request("POST", `${PATH}/${credentialId}/check`);
  const api = apiOf(workspace, () => {
    throw new SourceFailure(code, "The source says no.");
  });
  const answer = await api.request("POST", `${PATH}/${credentialId}/check`);
  expect([answer.status, (await answer.json<Answer>()).data]).toMatchObject([
    200,
    { account: "a", lastCheck: { ok: false, missing: [], problem: { code, message: "The source says no." } } },
  ]);
});

test("options of a check are those of the source", async () => {
  const api = apiOf(await newWorkspace());
  const { credentialId } = await create(api, { source: "s3" });
  const without = await api.request("POST", `${PATH}/${credentialId}/check`, {});
  expect([without.status, (await without.json<ErrorBody>()).error.fields?.map(({ field }) => field)]).toEqual([
    422,
    ["options.bucket"],
  ]);
  expect((await api.request("POST", `${PATH}/${credentialId}/check`, { options: { bucket: "b" } })).status).toBe(200);
  expect(api.opened.map(({ options }) => options)).toEqual([{ bucket: "b" }]);
});

test("another workspace's credential is as unknown as none", async () => {
  const { credentialId } = await create(apiOf(await newWorkspace()));
  const other = apiOf(await newWorkspace());
  for (const [method, rest] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/check"],
  ] as const) {
    const foreign = await other.request(method, `${PATH}/${credentialId}${rest}`);
    const unknown = await other.request(method, `${PATH}/${crypto.randomUUID()}${rest}`);
    expect([foreign.status, await foreign.text()]).toEqual([404, await unknown.text()]);
  }
  expect(other.opened).toEqual([]);
});

test("a workspace has at most 100, however many are made at once; a deleted one makes room", async () => {
  const workspace = await newWorkspace();
  const api = apiOf(workspace);
  const make = () => api.request("POST", PATH, { source: "vimeo", credentials: CREDENTIALS });
  const answers = await Promise.all(Array.from({ length: 104 }, make));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(100);
  const refused = await answers.find(({ status }) => status !== 201)!.json<ErrorBody>();
  expect(refused.error).toMatchObject({ code: 400, message: "import credential limit reached" });
  const { credentialId } = (await made[0]!.json<Answer>()).data;
  expect(await (await api.request("DELETE", `${PATH}/${credentialId}`)).json()).toEqual({ success: true });
  expect((await make()).status).toBe(201);
  const page = await (
    await api.request("GET", `${PATH}?limit=50&offset=2`)
  ).json<{ data: unknown[]; pagination: object }>();
  expect([page.data.length, page.pagination]).toEqual([50, { totalRecords: 100, currentOffset: 2, offsetCount: 2 }]);
});

test("the end of a batch deletes its credential, unless it is kept, or another open batch uses it", async () => {
  const workspace = await newWorkspace();
  const api = apiOf(workspace);
  const db = openDatabase(env.DB);
  const [passing, kept] = [await create(api), await create(api, { keep: true })];
  const batch = async (state: "running" | "done") => {
    const [id, at] = [crypto.randomUUID(), new Date()];
    const row = {
      id,
      workspaceId: workspace.id,
      source: "mux",
      request: { options: {}, selection: {}, settings: {}, dryRun: false, publicUrl: "https://example.com" },
      state,
      counts: {},
      credentialId: passing.credentialId,
    } as const;
    await db
      .insert(importBatches)
      .values({ ...row, createdAt: at, updatedAt: at, completedAt: state === "done" ? at : null });
    return id;
  };
  const [own, other] = [await batch("running"), await batch("running")];
  const status = async ({ credentialId }: { credentialId: string }) =>
    (await api.request("GET", `${PATH}/${credentialId}`)).status;

  await deleteUnlessKept(db, { credentialId: passing.credentialId, batchId: own });
  expect(await status(passing)).toBe(200);
  await db.delete(importBatches);
  await batch("done");
  await deleteUnlessKept(db, { credentialId: passing.credentialId, batchId: other });
  await deleteUnlessKept(db, { credentialId: kept.credentialId, batchId: other });
  expect([await status(passing), await status(kept)]).toEqual([404, 200]);
});

test("a new first key seals all credentials again, after which the old key can go", async () => {
  const workspace = await newWorkspace();
  const { credentialId } = await create(apiOf(workspace));
  const fresh = `k2:${btoa("another key of exactly 32 bytes!")}`;
  await resealCredentials({ ...env, WEBHOOK_KEYS: `${fresh},${env.WEBHOOK_KEYS}` });
  // Other tests have left more than one run reseals.
  for (let run = 0; run < 3; run++) await resealCredentials({ ...env, WEBHOOK_KEYS: `${fresh},${env.WEBHOOK_KEYS}` });
  expect(await openCredentials({ ...env, WEBHOOK_KEYS: fresh }, workspace.id, credentialId)).toEqual({
    source: "mux",
    credentials: CREDENTIALS,
  });
  await expect(openCredentials(env, workspace.id, credentialId)).rejects.toMatchObject({ code: "unavailable" });
});
