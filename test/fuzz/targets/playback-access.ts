import { generateKeyPairSync, sign } from "node:crypto";
import * as fc from "fast-check";
import { readPermit, signPermit } from "../../../src/tenancy/access/permit.ts";
import { isDomainRule, OPEN_RESTRICTIONS, refusedFor } from "../../../src/tenancy/access/restrictions.ts";
import { verifyToken } from "../../../src/tenancy/access/verify-token.ts";
import type { FuzzTarget } from "../target.ts";

const SECRET = "a secret of the fuzzer: long enough for use";
const NOW_MS = 1_800_000_000_000;
const scope = { playbackId: crypto.randomUUID(), workspaceId: crypto.randomUUID(), purpose: "media" as const };
const keyId = crypto.randomUUID();
const permit = { playbackId: scope.playbackId, keyId, expiresAtMs: NOW_MS + 3600_000 };
const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const spki = pair.publicKey.export({ format: "der", type: "spki" });
const publicKey = crypto.subtle.importKey(
  "spki",
  new Uint8Array(spki),
  { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  false,
  ["verify"],
);

interface Input {
  /** Members that replace or add to those of a valid token. */
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  edits: { at: number; text: string }[];
  /** Sent in place of the token. */
  instead: string | null;
  domain: string;
  origin: string;
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const names = fc.constantFrom("alg", "kid", "crit", "b64", "aud", "sub", "exp", "nbf", "typ");
const values = fc.oneof(
  fc.constantFrom<unknown>("none", "HS256", "RS256", keyId, `media:${scope.playbackId}`),
  fc.jsonValue(),
);
const members = fc.dictionary(names, values, { maxKeys: 3 });

/** A token opens a playback ID only if it says so and is unchanged; headers and rules of any text are judged without an exception. */
export default {
  name: "playback-access",
  arbitrary: fc.record({
    header: members,
    claims: members,
    edits: fc.array(fc.record({ at: fc.nat({ max: 700 }), text: fc.string({ maxLength: 3 }) }), { maxLength: 2 }),
    instead: fc.option(fc.string({ maxLength: 5000 }), { freq: 3 }),
    domain: fc.oneof(fc.string({ maxLength: 40 }), fc.domain()),
    origin: fc.oneof(fc.string({ maxLength: 60 }), fc.webUrl(), fc.constantFrom("null", "https://", "http://[")),
  }),
  async run({ header, claims, edits, instead, domain, origin }: Input) {
    const all = { aud: `media:${scope.playbackId}`, exp: NOW_MS / 1000 + 60, ...claims };
    const text = `${part({ alg: "RS256", kid: keyId, ...header })}.${part(all)}`;
    const genuine = `${text}.${sign("RSA-SHA256", Buffer.from(text), pair.privateKey).toString("base64url")}`;
    const edit = (given: string) =>
      edits.reduce(
        (token, { at, text: inserted }) => token.slice(0, at) + inserted + token.slice(at + inserted.length),
        given,
      );
    const token = instead ?? edit(genuine);
    const key = await publicKey;
    const answer = await verifyToken(token, scope, (id) => Promise.resolve(id === keyId ? key : null), NOW_MS);
    if (!("refusal" in answer)) {
      const isSaid = [all.aud].flat().includes(`media:${scope.playbackId}`) && all.exp * 1000 > NOW_MS;
      if (!isSaid || token.split(".").slice(0, 2).join(".") !== text)
        throw new Error("a token opens what it does not say");
    }

    const signed = signPermit(SECRET, permit);
    const given = instead ?? edit(signed);
    const read = readPermit(SECRET, scope.playbackId, given, NOW_MS);
    if (typeof read !== "string" && given !== signed) throw new Error("a changed permit is accepted");

    const rules = { defaultPolicy: "deny" as const, allow: [domain], deny: [] };
    const source = { ownHost: "stream.test", origin, referer: origin, userAgent: origin };
    const isPermitted = refusedFor({ ...OPEN_RESTRICTIONS, domains: rules }, source) === null;
    if (isPermitted && !/^https?:\/\//i.test(origin)) throw new Error("a site without a host is permitted");
    isDomainRule(domain);
  },
} satisfies FuzzTarget<Input>;
