import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { gatewayCredential, pushToken, readGatewayCredential } from "../../protocol/gateway-credential.ts";
import { secretList, UnusableSecret } from "../../protocol/secrets.ts";
import { isSecureUrl } from "../../protocol/secure-url.ts";
import { readGrant, signGrant } from "../../src/platform/crypto/signed-grant.ts";
import { isSameSecret } from "../../protocol/same-secret.ts";

const read = (secret: string, token: string) => readGrant(secret, "encoder-job", token, () => true, 0);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const [A, B] = ["a".repeat(32), "b".repeat(32)];

describe("a deployment's secret", () => {
  test.each([
    [undefined, "is missing"],
    ["", "is missing"],
    ["a".repeat(31), "holds a secret of 31 characters"],
    [`${A},short`, "holds a secret of 5 characters"],
    [`${A},`, "holds a secret of 0 characters"],
    [`${A},${A},${A},${A},${A}`, "holds more than 4 secrets"],
  ])("%j is refused, with a message that does not contain it", (text, words) => {
    const read = () => secretList("JOB_SECRET", text);
    expect(read).toThrow(UnusableSecret);
    expect(read).toThrow(`JOB_SECRET ${words}`);
    expect(read).not.toThrow(A);
  });

  test("may be a list during a rotation, whose first entry is used", () => {
    expect(secretList("JOB_SECRET", A)).toEqual([A]);
    expect(secretList("JOB_SECRET", `${B}, ${A}`)).toEqual([B, A]);
  });

  test("neither signs nor verifies when it is too short", async () => {
    await expect(signGrant("short", "encoder-job", { expiresAt: 1 })).rejects.toThrow(UnusableSecret);
    await expect(read("short", "a.b")).rejects.toThrow(UnusableSecret);
    await expect(read(undefined as unknown as string, "a.b")).rejects.toThrow(UnusableSecret);
  });

  test("verifies older grants after a rotation until the old secret is removed", async () => {
    const [older, newer] = [{ expiresAt: 1 }, { expiresAt: 2 }];
    const token = await signGrant(A, "encoder-job", older);
    expect(await read(`${B},${A}`, token)).toEqual(older);
    expect(await read(B, await signGrant(`${B},${A}`, "encoder-job", newer))).toEqual(newer);
    expect(await read(B, token)).toBe("forged");
  });

  test("signs JSON Web Tokens with HS256, and accepts no other algorithm", async () => {
    const grant = { expiresAt: 1 };
    const [header, payload, signature] = (await signGrant(A, "encoder-job", grant)).split(".");
    const decoded = (text: string | undefined): unknown => JSON.parse(Buffer.from(text ?? "", "base64url").toString());
    expect([decoded(header), decoded(payload)]).toEqual([{ alg: "HS256" }, { ...grant, aud: "encoder-job" }]);
    const hmac = createHmac("sha256", A).update(`${header}.${payload}`).digest("base64url");
    expect(signature).toBe(hmac);
    const unsigned = Buffer.from(`{"alg":"none"}`).toString("base64url");
    expect(await read(A, `${unsigned}.${payload}.`)).toBe("malformed");
    const stronger = Buffer.from(`{"alg":"HS512"}`).toString("base64url");
    const signed = createHmac("sha512", A).update(`${stronger}.${payload}`).digest("base64url");
    expect(await read(A, `${stronger}.${payload}.${signed}`)).toBe("malformed");
  });

  test("signs grants of four kinds, none of which is accepted as another", async () => {
    const kinds = ["encoder-job", "live-session", "upload-page", "view-export"] as const;
    const grant = { expiresAt: 1 };
    for (const signed of kinds)
      for (const asked of kinds) {
        const answer = await readGrant(A, asked, await signGrant(A, signed, grant), () => true, 0);
        expect(answer, `${signed} as ${asked}`).toEqual(signed === asked ? grant : "foreign");
      }
  });

  test("accepts a grant without `aud`, of an earlier release, for at most seven days", async () => {
    const week = 7 * 24 * 3600_000;
    const older = async (expiresAt: number, nowMs: number, isMeant = true) => {
      const text = `${encoded({ alg: "HS256" })}.${encoded({ expiresAt })}`;
      const token = `${text}.${createHmac("sha256", A).update(text).digest("base64url")}`;
      return await readGrant(A, "view-export", token, () => isMeant, nowMs);
    };
    expect(await older(week, 0)).toEqual({ expiresAt: week });
    expect(await older(week, week)).toBe("expired");
    expect(await older(week, 0, false)).toBe("foreign");
    expect(await older(week + 1, 0)).toBe("foreign"); // no release has signed one that lives so long
  });

  test.each(["", undefined])("%j equals no secret, not even an empty one", (secret) => {
    expect(isSameSecret("", secret)).toBe(false);
    expect(isSameSecret("undefined", secret)).toBe(false);
  });
});

describe("a gateway's credential", () => {
  test("contains its gateway and hosts, and verifies under one secret only", () => {
    const credential = gatewayCredential(A, "live-1", ["Live-1.example.com"]);
    expect(readGatewayCredential(credential)).toEqual({
      id: "live-1",
      hosts: ["live-1.example.com"],
      pushToken: pushToken(A, "live-1"),
    });
    const proofs = [
      credential,
      gatewayCredential(B, "live-1"),
      gatewayCredential(A, "live-2"),
      gatewayCredential(A, "live-1"),
    ];
    expect(new Set(proofs.map((text) => text.split(".")[1])).size).toBe(proofs.length);
  });

  const proof = "a".repeat(43);
  const claims = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  test.each([
    "",
    "live-1",
    `live-1.${proof}.${proof}`,
    `${claims({ id: "li ve", hosts: [] })}.${proof}.${proof}`,
    `${claims({ id: "live", hosts: "all" })}.${proof}.${proof}`,
    `${claims({ id: "live", hosts: [] })}.${proof}`,
    `${claims({ id: "live", hosts: [] })}.${proof}.${proof}a`,
  ])("%j is not a credential", (text) => expect(readGatewayCredential(text)).toBeNull());
});

describe("a URL that secrets are sent to", () => {
  test.each([
    "https://live-1.example.com",
    "https://10.0.0.7:8443/x",
    "http://127.0.0.1:8791",
    "http://127.9.9.9",
    "http://localhost:8787",
    "http://[::1]:8791",
    "http://2130706433",
  ])("%s is secure", (url) => expect(isSecureUrl(url)).toBe(true));

  test.each([
    "http://live-1.example.com",
    "http://10.0.0.7:8791",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://0.0.0.0:8791",
    "http://[::ffff:127.0.0.1]",
    "ws://127.0.0.1",
    "127.0.0.1:8791",
    "",
  ])("%s is not", (url) => expect(isSecureUrl(url)).toBe(false));
});
