import { type Grant, type GrantRefusal, readGrant, signGrant } from "../../platform/crypto/signed-grant.ts";

/** Whom a request of a gateway speaks for: one connection of one session. */
export interface SessionGrant extends Grant {
  sessionId: string;
  streamId: string;
  connection: number;
}

const LIFETIME_MS = 13 * 3600_000;
/** A broadcast may outlast a token: in its last hour the answers to heartbeats bring a new one. */
const RENEW_BEFORE_MS = 3600_000;

export const signSessionGrant = (
  secret: string,
  session: Omit<SessionGrant, "expiresAt">,
  nowMs: number,
): Promise<string> => signGrant(secret, { ...session, expiresAt: nowMs + LIFETIME_MS } satisfies SessionGrant);

export const isDueForRenewal = ({ expiresAt }: SessionGrant, nowMs: number): boolean =>
  expiresAt - nowMs < RENEW_BEFORE_MS;

/** @param sessionId the session the request is about; a token for another one, or for a job, is `foreign` */
export const readSessionGrant = (
  secret: string,
  token: string,
  sessionId: string,
  nowMs: number,
): Promise<SessionGrant | GrantRefusal> =>
  readGrant<SessionGrant>(secret, token, (grant) => grant.sessionId === sessionId, nowMs);
