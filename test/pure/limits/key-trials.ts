/** Secrets, grants and credentials. */
import { gatewayCredential, readGatewayCredential } from "../../../protocol/gateway-credential.ts";
import { secretList } from "../../../protocol/secrets.ts";
import { GRANT_MS, isDueForRenewal, readJobGrant, signJobGrant } from "../../../src/library/encoding/job-token.ts";
import * as session from "../../../src/live/sessions/session-token.ts";
import { judgeClaims, keyIdOf } from "../../../src/tenancy/access/token.ts";
import { atLeast, TAKEN, until, upTo } from "../../support/limits/trials.ts";

const SECRET = "s".repeat(40);

function secrets(...lengths: number[]): string {
  try {
    secretList("JOB_SECRET", lengths.map((length) => "s".repeat(length)).join(","));
    return TAKEN;
  } catch {
    return "503";
  }
}

const credential = (id: string, hosts: string[]) =>
  readGatewayCredential(gatewayCredential(SECRET, id, hosts)) === null ? "401" : TAKEN;

export const KEY_TRIALS = {
  "secret-length": atLeast((length) => secrets(length)),
  "secrets-in-rotation": upTo((count) => secrets(...Array.from({ length: count }, () => SECRET.length))),
  "gateway-id": upTo((length) => credential("g".repeat(length), [])),
  "gateway-hosts": upTo((count) =>
    credential(
      "g",
      Array.from({ length: count }, (_, n) => `live-${n}.example.com`),
    ),
  ),
  "gateway-host": upTo((length) => credential("g", ["h".repeat(length)])),
  "playback-token": upTo((length) => {
    const judged = keyIdOf("x".repeat(length));
    return "refusal" in judged && judged.refusal === "too long" ? "401" : TAKEN;
  }),
  "playback-token-leeway": upTo((ms) => {
    const scope = { playbackId: "p", workspaceId: "w", keyId: "k", purpose: "media" as const };
    const judged = judgeClaims({ aud: "media:p", exp: 1e9, nbf: ms / 1000 }, scope, 0);
    return "refusal" in judged ? "401" : TAKEN;
  }),
  "job-grant": until(async (ms) => {
    const grant = { jobId: "j", assetId: "a", attempt: 1, renditions: [], segments: [0, 0] as [number, number] };
    const token = await signJobGrant(SECRET, { ...grant, expiresAt: GRANT_MS });
    return (await readJobGrant(SECRET, token, "j", ms)) === "expired" ? "403" : TAKEN;
  }),
  "job-grant-renewal": atLeast((leftMs) =>
    isDueForRenewal({ expiresAt: leftMs } as Parameters<typeof isDueForRenewal>[0], 0) ? "renewed" : TAKEN,
  ),
  "session-token": until(async (ms) => {
    const token = await session.signSessionGrant(SECRET, { sessionId: "s", streamId: "l", connection: 1 }, 0);
    return (await session.readSessionGrant(SECRET, token, "s", ms)) === "expired" ? "403" : TAKEN;
  }),
  "session-token-renewal": atLeast((leftMs) =>
    session.isDueForRenewal({ sessionId: "s", streamId: "l", connection: 1, expiresAt: leftMs }, 0) ? "renewed" : TAKEN,
  ),
};
