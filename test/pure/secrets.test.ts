import { describe, expect, test } from "vitest";
import { gatewayCredential, pushToken, readGatewayCredential } from "../../protocol/gateway-credential.ts";
import { secretList, UnusableSecret } from "../../protocol/secrets.ts";
import { isSecureUrl } from "../../protocol/secure-url.ts";
import { readSigned, signGrant } from "../../src/platform/crypto/signed-grant.ts";
import { isSameSecret } from "../../protocol/same-secret.ts";

const [A, B] = ["a".repeat(32), "b".repeat(32)];

describe("a deployment's secret", () => {
  test.each([
    [undefined, "is missing"],
    ["", "is missing"],
    ["a".repeat(31), "holds a secret of 31 characters"],
    [`${A},short`, "holds a secret of 5 characters"],
    [`${A},`, "holds a secret of 0 characters"],
    [`${A},${A},${A},${A},${A}`, "holds more than 4 secrets"],
  ])("%j is refused in words that do not repeat it", (text, words) => {
    const read = () => secretList("JOB_SECRET", text);
    expect(read).toThrow(UnusableSecret);
    expect(read).toThrow(`JOB_SECRET ${words}`);
    expect(read).not.toThrow(A);
  });

  test("is one, or several during a rotation: the first is used", () => {
    expect(secretList("JOB_SECRET", A)).toEqual([A]);
    expect(secretList("JOB_SECRET", `${B}, ${A}`)).toEqual([B, A]);
  });

  test("signs nothing and proves nothing while it is too short", async () => {
    await expect(signGrant("short", {})).rejects.toThrow(UnusableSecret);
    await expect(readSigned("short", "a.b")).rejects.toThrow(UnusableSecret);
    await expect(readSigned(undefined as unknown as string, "a.b")).rejects.toThrow(UnusableSecret);
  });

  test("may be rotated while grants are out: the older one still proves them, until it is taken away", async () => {
    const token = await signGrant(A, { jobId: "j" });
    expect(await readSigned(`${B},${A}`, token)).toEqual({ jobId: "j" });
    expect(await readSigned(B, await signGrant(`${B},${A}`, { jobId: "k" }))).toEqual({ jobId: "k" });
    expect(await readSigned(B, token)).toBe("forged");
  });

  test.each(["", undefined])("%j equals nothing, not even what is as empty", (secret) => {
    expect(isSameSecret("", secret)).toBe(false);
    expect(isSameSecret("undefined", secret)).toBe(false);
  });
});

describe("a gateway's credential", () => {
  test("names its gateway and hosts, and proves them under one secret alone", () => {
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
  ])("%j is none", (text) => expect(readGatewayCredential(text)).toBeNull());
});

describe("an address that secrets travel to", () => {
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
