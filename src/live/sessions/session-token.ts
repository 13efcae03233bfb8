import { type Grant, type GrantRefusal, readGrant, signGrant } from "../../platform/crypto/signed-grant.ts";

/** The connection of a session that authorizes a gateway's request. */
export interface SessionGrant extends Grant {
  sessionId: string;
  streamId: string;
  connection: number;
}

const AUDIENCE = "live-session";
const LIFETIME_MS = 13 * 3600_000;
/** A broadcast can outlast its token. In the token's last hour, heartbeat answers carry a new one. */
const RENEW_BEFORE_MS = 3600_000;

export const signSessionGrant = (
  secret: string,
  session: Omit<SessionGrant, "expiresAt">,
  nowMs: number,
): Promise<string> =>
  signGrant(secret, AUDIENCE, { ...session, expiresAt: nowMs + LIFETIME_MS } satisfies SessionGrant);

export const isDueForRenewal = ({ expiresAt }: SessionGrant, nowMs: number): boolean =>
  expiresAt - nowMs < RENEW_BEFORE_MS;

/** @param sessionId the session the request is about; a token for another one, or for a job, is `foreign` */
export const readSessionGrant = (
  secret: string,
  token: string,
  sessionId: string,
  nowMs: number,
): Promise<SessionGrant | GrantRefusal> =>
  readGrant<SessionGrant>(secret, AUDIENCE, token, (grant) => grant.sessionId === sessionId, nowMs);
