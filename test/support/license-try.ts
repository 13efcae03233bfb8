/** A local platform asks a licence service, as far as the service sees it. */
import type { AskedLicense, LicenseService } from "./license-service.ts";

export const serviceVariables = ({ url }: LicenseService) => ({
  DRM_LICENSE_PROXY_CPIX_URL: `${url}/cpix`,
  DRM_LICENSE_PROXY_FAIRPLAY_URL: `${url}/fairplay`,
  DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL: `${url}/certificate`,
});

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Fetches a certificate through the platform. @returns the `Authorization` with which the service was asked */
export async function authorizationAt(service: LicenseService, ask: Ask): Promise<string | null | undefined> {
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const answer = await ask(path, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const made = await post<{ data: { id: string } }>("/v1/on-demand/drm-configurations", { keySystems: ["fairplay"] });
  const { playback_id: playbackId } = await post<{ playback_id: string }>("/v1/on-demand/upload", {
    corsOrigin: "*",
    pushMediaSettings: { accessPolicy: "drm", drmConfigurationId: made.data.id },
  });
  const permit = await post<{ data: { token: string } }>("/v1/iam/playback-tokens", { playbackId });
  const certificate = await ask(`/v1/on-demand/drm/cert/fairplay/${playbackId}?token=${permit.data.token}`);
  if ((await certificate.text()) !== "a certificate") throw new Error(`no certificate: ${certificate.status}`);
  const asked = (await (await fetch(`${service.url}/asked`)).json()) as AskedLicense[];
  return asked.at(-1)?.authorization;
}
