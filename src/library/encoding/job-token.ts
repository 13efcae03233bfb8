import { type Grant, type GrantRefusal, readGrant, signGrant } from "../../platform/crypto/signed-grant.ts";

/**
 * An encoder's permissions for one attempt of one job: its renditions, its segments and an expiry. Signed rather than stored, so checking
 * it needs no look-up.
 */
export interface JobGrant extends Grant {
  jobId: string;
  assetId: string;
  attempt: number;
  /** The asset whose stored source it may read; absent = its own. */
  sourceId?: string;
  /** It reads this segment of that asset, behind its init segment, instead of a source. */
  sourceSegment?: { rendition: string; initFile: string; segment: number };
  /** It reads the sound of this rendition. */
  sound?: string;
  /** It reads this piece of speech. */
  piece?: { rendition: string; number: number };
  /** It reads the picture of this rendition. */
  video?: string;
  renditions: string[];
  /** First segment it may write, and the one after the last. */
  segments: [from: number, to: number];
}

const AUDIENCE = "encoder-job";
/** Lifetime of a grant, which bounds the use of a leaked one. Heartbeats renew it. */
export const GRANT_MS = 15 * 60_000;
const RENEW_BEFORE_MS = 10 * 60_000;

export const isDueForRenewal = ({ expiresAt }: JobGrant, nowMs: number): boolean => expiresAt - nowMs < RENEW_BEFORE_MS;

export const signJobGrant = (secret: string, grant: JobGrant): Promise<string> => signGrant(secret, AUDIENCE, grant);

/** @param jobId the job the request is about; a token for another one is `foreign` */
export const readJobGrant = (
  secret: string,
  token: string,
  jobId: string,
  nowMs: number,
): Promise<JobGrant | GrantRefusal> =>
  readGrant<JobGrant>(secret, AUDIENCE, token, (grant) => grant.jobId === jobId, nowMs);
