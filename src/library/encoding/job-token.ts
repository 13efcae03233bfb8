import { type Grant, type GrantRefusal, readGrant, signGrant } from "../../platform/crypto/signed-grant.ts";

/**
 * What an encoder may do, and until when: bound to one job of one attempt, to the renditions and segments that job makes.
 * A signed statement rather than a stored secret, so that checking it costs no lookup.
 */
export interface JobGrant extends Grant {
  jobId: string;
  assetId: string;
  attempt: number;
  renditions: string[];
  /** First segment it may write, and the one after the last. */
  segments: [from: number, to: number];
}

/** A grant that leaks is good for this long at most; heartbeats renew it. */
export const GRANT_MS = 15 * 60_000;
const RENEW_BEFORE_MS = 10 * 60_000;

export const isDueForRenewal = ({ expiresAt }: JobGrant, nowMs: number): boolean => expiresAt - nowMs < RENEW_BEFORE_MS;

export const signJobGrant = (secret: string, grant: JobGrant): Promise<string> => signGrant(secret, grant);

/** @param jobId the job the request is about; a token for another one is `foreign` */
export const readJobGrant = (
  secret: string,
  token: string,
  jobId: string,
  nowMs: number,
): Promise<JobGrant | GrantRefusal> => readGrant<JobGrant>(secret, token, (grant) => grant.jobId === jobId, nowMs);
