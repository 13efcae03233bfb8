/** An asset that waits for its encoder, and the callbacks of that encoder's jobs. */
import { env } from "cloudflare:test";
import { beforeAll, expect, vi } from "vitest";
import { GRANT_MS, type JobGrant, signJobGrant } from "../../../../src/library/encoding/job-token.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";
import { type MediaAnswer, newWorkspace, send, type TestWorkspace, videoFrom } from "../../workspace.ts";

/** A request below `/internal/jobs/{assetId}.{job}/`, with the token of that job; `grant` overrides its fields. */
export async function callJob(
  { assetId, job }: { assetId: string; job: string },
  { method, path, body }: { method: "GET" | "POST" | "PUT"; path: string; body?: string },
  grant: Partial<JobGrant> = {},
  secret = env.JOB_SECRET,
): Promise<Response> {
  const jobId = `${assetId}.${job}`;
  const whole: JobGrant = {
    jobId,
    assetId,
    attempt: 1,
    renditions: ["v270", "a1"],
    segments: [0, 10],
    expiresAt: Date.now() + GRANT_MS,
    ...grant,
  };
  const headers = {
    authorization: `Bearer ${await signJobGrant(secret, whole)}`,
    ...(body === undefined ? {} : { "content-length": String(body.length) }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  return await send(new Request(`http://sluice.test/internal/jobs/${jobId}/${path}`, init));
}

type Media = MediaAnswer["data"] & { progress?: { stage: string }; error?: { code: string; fault: string } };

/** Assets of a separate workspace, whose source is not standard. */
export function useAssets() {
  let workspace: TestWorkspace;
  let server: RemoteServer;
  beforeAll(async () => {
    workspace = await newWorkspace();
    server = await openSourceServer();
    await server.add("/film", { kind: "content", text: "not a standard source, so the encoder decides" });
  });
  const media = async (assetId: string): Promise<Media> =>
    (await (await workspace.request("GET", `/v1/on-demand/${assetId}`)).json<MediaAnswer>()).data;
  const until = (assetId: string, status: string) =>
    vi.waitFor(async () => expect((await media(assetId)).status).toBe(status), { timeout: 10_000, interval: 20 });
  /** Its source is copied, and it waits for its encoder. */
  const awaitingProbe = async (): Promise<string> => {
    const response = await workspace.request("POST", "/v1/on-demand", videoFrom(`${server.origin}/film`));
    const { data } = await response.json<MediaAnswer>();
    await until(data.id, "Validating");
    return data.id;
  };
  const remove = (assetId: string) => workspace.request("DELETE", `/v1/on-demand/${assetId}`);
  return { media, until, awaitingProbe, remove };
}
