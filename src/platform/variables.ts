import { GATEWAY_ID } from "../../protocol/gateway-credential.ts";
import { HEARTBEATS_PER_LEASE, MIN_HEARTBEAT_MS } from "../../protocol/jobs.ts";
import { isSecureUrl } from "../../protocol/secure-url.ts";

/**
 * The rules of the Worker's variables (docs/guides/settings.md), used by the Worker, `npm run deploy` and the local platform. Secrets have
 * rules of their own (protocol/secrets.ts).
 */

interface Rule {
  isValid(value: string): boolean;
  /** What a valid value is, after the variable's name: "must be …". */
  words: string;
  /** Whether the variable must have a value; otherwise empty = unset. */
  isRequired?: true;
}

/** Values of `LIVE_PART_TARGET_MS`. */
export const PART_TARGET_MS = { least: 200, usual: 500, most: 1000 } as const;

/** Values of `VIEW_RETENTION_DAYS`. Each month of them is a store that a question may ask. */
export const VIEW_RETENTION_DAYS = { least: 1, usual: 100, most: 400 } as const;

/**
 * Values of `JOB_LEASE_MS`. A shorter lease has fewer heartbeats, which the encoder sends no faster, and a late one loses the job. A longer one
 * would outlast the job's token, which is valid for 15 minutes.
 */
const JOB_LEASE_MS = { least: HEARTBEATS_PER_LEASE * MIN_HEARTBEAT_MS, most: 15 * 60_000 } as const;

const wholeNumber: Rule = {
  isValid: (value) => Number.isSafeInteger(Number(value)) && Number(value) > 0,
  words: "must be a positive whole number",
};
const wholeNumberIn = ({ least, most }: { least: number; most: number }): Rule => ({
  isValid: (value) => Number.isInteger(Number(value)) && Number(value) >= least && Number(value) <= most,
  words: `must be a whole number from ${least} to ${most}`,
});
const factor: Rule = {
  isValid: (value) => Number.isFinite(Number(value)) && Number(value) > 0,
  words: "must be a positive number",
};
const amount: Rule = {
  isValid: (value) => Number.isFinite(Number(value)) && Number(value) >= 0,
  words: "must be a number of dollars, 0 or more",
};
const secureUrl: Rule = {
  isValid: isSecureUrl,
  words:
    "must be an https URL, because tokens and media are sent there (http is allowed for this machine only), or be empty",
};
/** The requests have paths of their own, which would replace one of the setting. */
const secureOrigin: Rule = {
  isValid: (value) => isSecureUrl(value) && new URL(value).href === `${new URL(value).origin}/`,
  words:
    "must be an https URL without a path, because media is sent there (http is allowed for this machine only), or be empty",
};
const ingestUrl = (scheme: string): Rule => ({
  isValid: (value) => URL.canParse(value) && new URL(value).protocol === `${scheme}:` && new URL(value).hostname !== "",
  words: `must be a URL that begins with ${scheme}://, or be empty`,
});

function isObjectOfUrls(value: string): boolean {
  try {
    const urls: unknown = JSON.parse(value);
    const isObject = typeof urls === "object" && urls !== null && !Array.isArray(urls);
    return isObject && Object.values(urls).every((url) => typeof url === "string" && /^https?:\/\/[^/]/.test(url));
  } catch {
    return false;
  }
}

const RULES = {
  PUBLIC_URL: secureUrl,
  ENCODER_URL: secureOrigin,
  ENCODER_CONTAINERS: { ...wholeNumber, isRequired: true },
  ALLOW_PRIVATE_NETWORK: {
    isValid: (value) => value === "true" || value === "false",
    words: 'must be "true", "false" or empty',
  },
  MAX_SOURCE_BYTES: { ...wholeNumber, isRequired: true },
  MAX_WORKSPACE_MEDIA: { ...wholeNumber, isRequired: true },
  MAX_WORKSPACE_STREAMS: { ...wholeNumber, isRequired: true },
  MAX_WORKSPACE_UPLOADS: { ...wholeNumber, isRequired: true },
  MAX_WORKSPACE_BYTES: { ...wholeNumber, isRequired: true },
  MAX_WORKSPACE_PLAYBACK_EVENTS: { ...wholeNumber, isRequired: true },
  AI_BASE_URL: secureUrl,
  AI_SPEECH_MODEL: { isValid: (value) => value.length <= 200, words: "must have at most 200 characters" },
  AI_SPEECH_USD_PER_MINUTE: amount,
  AI_TEXT_MODEL: { isValid: (value) => value.length <= 500, words: "must have at most 500 characters" },
  AI_TEXT_INPUT_USD_PER_MILLION: amount,
  AI_TEXT_OUTPUT_USD_PER_MILLION: amount,
  AI_VISION_MODEL: { isValid: (value) => value.length <= 500, words: "must have at most 500 characters" },
  AI_VISION_INPUT_USD_PER_MILLION: amount,
  AI_VISION_OUTPUT_USD_PER_MILLION: amount,
  AI_MONTHLY_BUDGET_USD: { ...amount, isRequired: true },
  LIVE_PART_TARGET_MS: wholeNumberIn(PART_TARGET_MS),
  DRM_LICENSE_PROXY_CPIX_URL: secureUrl,
  DRM_LICENSE_PROXY_WIDEVINE_URL: secureUrl,
  DRM_LICENSE_PROXY_FAIRPLAY_URL: secureUrl,
  DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL: secureUrl,
  INGEST_RTMP_URL: ingestUrl("rtmp"),
  INGEST_RTMPS_URL: ingestUrl("rtmps"),
  INGEST_SRT_URL: ingestUrl("srt"),
  BEACON_DOMAIN: {
    isValid: (value) => value === "" || /^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/i.test(value),
    words: "must be a host name",
  },
  VIEW_RETENTION_DAYS: wholeNumberIn(VIEW_RETENTION_DAYS),
  R2_SQL_URL: secureUrl,
  R2_SQL_TABLE: {
    isValid: (value) => /^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$/.test(value),
    words: "must be namespace.table, in lower-case letters, digits and underscores",
  },
  IMPORT_BASE_URLS: {
    isValid: isObjectOfUrls,
    words: "must be a JSON object of http or https URLs by the names of sources, or be empty",
  },
  REVOKED_GATEWAYS: {
    isValid: (value) => value.split(",").every((id) => id.trim() === "" || GATEWAY_ID.test(id.trim())),
    words: "must be ids of gateways, separated by commas",
  },
  MP4_SUPPORT_ARRAY_CLIENTS: {
    isValid: (value) => value.length <= 1000,
    words:
      "must be names of clients in their User-Agent headers, with or without the first version, separated by commas, at most 1,000 characters",
  },
  JOB_LEASE_MS: wholeNumberIn(JOB_LEASE_MS),
  SOURCE_RETRY_SCALE: factor,
  WEBHOOK_RETRY_SCALE: factor,
  LIVE_WAIT_SCALE: factor,
} satisfies Record<string, Rule>;

export type VariableName = keyof typeof RULES;
export const VARIABLE_NAMES = Object.keys(RULES) as VariableName[];

/** @returns what is wrong with the value, in words that begin with the variable's name; null = nothing, or no rule has this name */
export function variableProblem(name: string, value: string | undefined): string | null {
  const rule: Rule | undefined = Object.hasOwn(RULES, name) ? RULES[name as VariableName] : undefined;
  if (rule === undefined) return null;
  const isValid = value === undefined || value === "" ? rule.isRequired !== true : rule.isValid(value);
  return isValid ? null : `${name} ${rule.words}`;
}

/** The same for a deployment on Cloudflare, which serves others and reaches no encoder on the owner's machine. */
export function deployedVariableProblem(name: string, value: string): string | null {
  if (name === "ALLOW_PRIVATE_NETWORK" && value === "true")
    return `${name} is for work on one machine: a deployment would fetch from private addresses for everyone who may use its API`;
  if (name === "IMPORT_BASE_URLS" && value !== "")
    return `${name} is for work on one machine: a deployment would send the credentials of migrations there`;
  if (name === "ENCODER_URL" && value !== "" && !value.startsWith("https:"))
    return `${name} must be an https URL that Cloudflare can reach`;
  return variableProblem(name, value);
}
