import { readBounded } from "../../../protocol/read-bounded.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { logWarning } from "../../platform/log.ts";

/** Variables that name the owner's licence service. */
export type ServiceVariable =
  | "DRM_LICENSE_PROXY_CPIX_URL"
  | "DRM_LICENSE_PROXY_WIDEVINE_URL"
  | "DRM_LICENSE_PROXY_FAIRPLAY_URL"
  | "DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL";

/** For the whole answer. */
const TIMEOUT_MS = 10_000;
/** Licences and key documents have some kilobytes. */
const MAX_ANSWER_BYTES = 256 << 10;

interface Question {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: BodyInit;
}

/**
 * Asks the owner's licence service. Redirects are failures: they would send the authorization elsewhere.
 *
 * @throws {Problem} drm_not_set_up when the variable is not set; license_refused for an answer from 400 to 499; license_service_failed
 */
export async function askService(
  env: Env,
  variable: ServiceVariable,
  { headers, ...question }: Question,
): Promise<Uint8Array<ArrayBuffer>> {
  const url = env[variable] ?? "";
  if (url === "") throw new Problem("drm_not_set_up", `this deployment has no licence service: set ${variable}`);
  const authorization = env.DRM_LICENSE_PROXY_AUTHORIZATION ?? "";
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), TIMEOUT_MS);
  try {
    const answer = await fetch(url, {
      ...question,
      headers: { ...headers, ...(authorization === "" ? {} : { authorization }) },
      redirect: "manual",
      signal: deadline.signal,
    });
    if (answer.ok) return await readAnswer(answer);
    await answer.body?.cancel();
    logWarning("drm.service_refused", { variable, status: answer.status });
    throw new Problem(
      isRefusal(answer.status) ? "license_refused" : "license_service_failed",
      `the licence service answered ${answer.status}`,
    );
  } catch (error) {
    if (error instanceof Problem) throw error;
    logWarning("drm.service_failed", { variable, error: error instanceof Error ? error.name : "unknown" });
    throw new Problem("license_service_failed", "the licence service does not answer", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a repeat would be refused too. */
const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** @throws {Problem} license_service_failed */
async function readAnswer({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = body === null ? new Uint8Array(0) : await readBounded(body, MAX_ANSWER_BYTES);
  if (bytes === null)
    throw new Problem("license_service_failed", `the licence service's answer is above ${MAX_ANSWER_BYTES >> 10} KiB`);
  if (bytes.byteLength === 0) throw new Problem("license_service_failed", "the licence service's answer is empty");
  return bytes;
}
