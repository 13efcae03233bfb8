import { randomBytes } from "node:crypto";

/** The secrets of a deployment, as the Worker names them. */
export const SECRET_NAMES = ["JOB_SECRET", "ENCODER_SECRET", "WEBHOOK_KEYS"] as const;
/** Secrets that only some deployments have; the owner supplies their values. */
export const OPTIONAL_SECRETS = ["R2_SQL_TOKEN", "DRM_LICENSE_PROXY_AUTHORIZATION", "AI_API_KEY"] as const;
export type OptionalSecret = (typeof OPTIONAL_SECRETS)[number];
export type SecretName = (typeof SECRET_NAMES)[number];
export type SecretValues = Record<SecretName, string>;

/** @param old the values of `name` so far: sealing keys have ids, because sealed text contains the id of its key */
export function freshSecret(name: SecretName, old: readonly string[] = []): string {
  const value = randomBytes(32).toString("base64");
  return name === "WEBHOOK_KEYS" ? `k${1 + Math.max(0, ...old.map(keyNumber))}:${value}` : value;
}
const keyNumber = (key: string) => Number(/^k(\d+):/.exec(key)?.[1] ?? 0);

export const freshSecrets = (): SecretValues =>
  Object.fromEntries(SECRET_NAMES.map((name) => [name, freshSecret(name)])) as SecretValues;
