import { expect, test } from "vitest";
import { type ErrorBody, newWorkspace } from "../workspace.ts";

const PATH = "/v1/iam/signing-keys";
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

const derOf = (pem: string, label: string) => {
  const [, body] = new RegExp(`^-----BEGIN ${label}-----\n((?:[A-Za-z0-9+/=]{1,64}\n)+)-----END ${label}-----\n$`).exec(
    pem,
  )!;
  return Uint8Array.from(atob(body!.replaceAll("\n", "")), (char) => char.charCodeAt(0));
};

test("a created key pair has its private half once, as Base64 of a PKCS#8 PEM; what it signs verifies with the public half", async () => {
  const workspace = await newWorkspace();
  const created = await workspace.request("POST", PATH);
  expect(created.status).toBe(201);
  const { data } = await created.json<{ data: { id: string; privateKey: string; createdAt: string } }>();
  expect(Object.keys(data)).toEqual(["id", "privateKey", "createdAt"]);
  const read = await workspace.request("GET", `${PATH}/${data.id.toUpperCase()}`);
  const { data: half } = await read.json<{ data: { publicKey: string } }>();
  expect(half).toEqual({ workspaceId: workspace.id, signingKeyId: data.id, publicKey: expect.any(String) });

  const privateKey = await crypto.subtle.importKey("pkcs8", derOf(atob(data.privateKey), "PRIVATE KEY"), RSA, false, [
    "sign",
  ]);
  const publicKey = await crypto.subtle.importKey("spki", derOf(half.publicKey, "PUBLIC KEY"), RSA, true, ["verify"]);
  const text = new TextEncoder().encode("header.payload");
  const signature = await crypto.subtle.sign(RSA.name, privateKey, text);
  expect(await crypto.subtle.verify(RSA.name, publicKey, signature, text)).toBe(true);
  const { n } = (await crypto.subtle.exportKey("jwk", publicKey)) as JsonWebKey;
  expect(atob(n!.replaceAll("-", "+").replaceAll("_", "/")).length * 8).toBe(2048);
});

test("keys are listed newest first, by page, without a key; a revoked one is gone", async () => {
  const workspace = await newWorkspace();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1)
    ids.unshift((await (await workspace.request("POST", PATH)).json<{ data: { id: string } }>()).data.id);
  const list = async (query: string) =>
    await (await workspace.request("GET", `${PATH}?${query}`)).json<{ data: { id: string }[]; pagination: object }>();
  const page = await list("limit=2&offset=2");
  expect(page.data).toEqual([{ id: ids[2], createdAt: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/) }]);
  expect(page.pagination).toEqual({ totalRecords: 3, currentOffset: 2, offsetCount: 2 });

  const revoked = await workspace.request("DELETE", `${PATH}/${ids[0]}`);
  expect([revoked.status, await revoked.json()]).toEqual([
    200,
    { success: true, data: { message: "signing key is revoked" } },
  ]);
  expect((await list("")).data.map(({ id }) => id)).toEqual(ids.slice(1));
  for (const method of ["GET", "DELETE"]) {
    const gone = await workspace.request(method, `${PATH}/${ids[0]}`);
    expect([gone.status, (await gone.json<ErrorBody>()).error.message]).toEqual([404, "Signing key Not Found"]);
  }
  const malformed = await workspace.request("GET", `${PATH}/nonsense`);
  expect((await malformed.json<ErrorBody>()).error.fields).toEqual([{ field: "signingKeyId", message: "is invalid" }]);
});

test("a repeat with the same Idempotency-Key gets the same pair, which is stored sealed", async () => {
  const workspace = await newWorkspace();
  const create = async () =>
    await (await workspace.request("POST", PATH, undefined, { "idempotency-key": "a key" })).text();
  expect(await create()).toBe(await create());
});
