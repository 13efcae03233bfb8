/** Bounds of licences, with a licence service that keeps to them and one that does not. */
import { env } from "cloudflare:test";
import { toBase64Url } from "../../../protocol/base64.ts";
import type { Env } from "../../../src/platform/env.ts";
import { Problem, PROBLEMS } from "../../../src/platform/http/problems.ts";
import { askService } from "../../../src/tenancy/drm/index.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";
import { licenseServiceUrl } from "../playback/license-service.ts";
import { newAsset } from "../playback/playable.ts";
import { addSigningKey, signToken } from "../playback/tokens.ts";
import { send } from "../workspace.ts";
import { after } from "./time-trials.ts";

const service = (path: string): Partial<Env> => ({
  DRM_LICENSE_PROXY_CPIX_URL: `${licenseServiceUrl()}/cpix`,
  DRM_LICENSE_PROXY_WIDEVINE_URL: `${licenseServiceUrl()}${path}`,
});

async function askLicense(keySystem: "clearkey" | "widevine", body: BodyInit): Promise<Response> {
  const keyId = await addSigningKey("w");
  const { playbackId } = await newAsset({ status: "ready" }, { accessPolicy: "drm", keySystems: [keySystem] });
  const token = await signToken(keyId, playbackId, { aud: `drm:${playbackId}` });
  const url = `https://sluice.test/v1/on-demand/drm/license/${keySystem}/${playbackId}?token=${token}`;
  return await send(new Request(url, { method: "POST", body }), service("/widevine"));
}

/** No key has these ids, which is the answer to a valid request. */
const someKeyIds = (count: number) =>
  Array.from({ length: count }, () => toBase64Url(crypto.getRandomValues(new Uint8Array(16))));

async function answered(path: string): Promise<string> {
  try {
    await askService({ ...env, ...service(path) }, "DRM_LICENSE_PROXY_WIDEVINE_URL", { method: "POST", body: path });
    return TAKEN;
  } catch (error) {
    return error instanceof Problem ? String(PROBLEMS[error.code].status) : String(error);
  }
}

const pathsAsked = async () =>
  (await (await fetch(`${licenseServiceUrl()}/asked`)).json<{ path: string }[]>()).map(({ path }) => path);

export const LICENSE_TRIALS = {
  "clearkey-key-ids": upTo(async (count) => {
    const { status } = await askLicense("clearkey", JSON.stringify({ kids: someKeyIds(count) }));
    return status === 403 ? TAKEN : String(status);
  }),
  "license-challenge": upTo(async (bytes) => {
    const { ok, status } = await askLicense("widevine", new Uint8Array(bytes));
    return ok ? TAKEN : String(status);
  }),
  "license-service-answer": upTo((bytes) => answered(`/large/${bytes}`)),
  "license-service-time": until((ms) => {
    const path = `/silent/${crypto.randomUUID()}`;
    const asked = new Set<string>();
    const isWaiting = async () => {
      for (const one of await pathsAsked()) asked.add(one);
      return asked.has(path);
    };
    return after(ms, () => answered(path), isWaiting);
  }),
};
