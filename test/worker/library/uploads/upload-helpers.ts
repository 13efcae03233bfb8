import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { assetPrefix } from "../../../../src/platform/storage/keys.ts";
import { fromBase64 } from "../../../../protocol/base64.ts";
import friday from "../../../fixtures/friday.mp4?inline";
import { send, type TestWorkspace } from "../../workspace.ts";

/** A film of 515,198 bytes whose index is in front. */
export const FILM = fromBase64(friday.slice(friday.indexOf(",") + 1))!;

/** Bytes that are different at each position. */
export const someBytes = (length: number, seed = 1): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, n) => (n * 31 + (n >> 8) * seed + seed) & 255);

export interface NewUpload {
  uploadId: string;
  playbackId: string;
  url: string;
}

export async function newUpload(workspace: TestWorkspace, body: object = {}): Promise<NewUpload> {
  const response = await workspace.request("POST", "/v1/on-demand/upload", { corsOrigin: "*", ...body });
  if (response.status !== 201) throw new Error(`creation: ${response.status} ${await response.text()}`);
  const { data, playback_id: playbackId } = await response.json<{
    playback_id: string;
    data: { uploadId: string; url: string };
  }>();
  return { ...data, playbackId };
}

/** A request to an upload URL, as its clients send it: without credentials. */
export function call(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body: Uint8Array<ArrayBuffer> | ReadableStream | null = null,
): Promise<Response> {
  const length = body instanceof Uint8Array ? { "content-length": String(body.byteLength) } : {};
  return send(new Request(url, { method, headers: { ...length, ...headers }, body }));
}

/** Sends the bytes of a file from `first` to before `end`. */
export const putRange = (
  url: string,
  file: Uint8Array<ArrayBuffer>,
  first: number,
  end: number,
  total?: number | "*",
) =>
  call(
    "PUT",
    url,
    { "content-range": `bytes ${first}-${end - 1}/${total ?? file.byteLength}` },
    file.slice(first, end),
  );

export const probe = (url: string, total: number | "*") => call("PUT", url, { "content-range": `bytes */${total}` });

export const machineOf = (uploadId: string) => env.UPLOAD_MACHINE.get(env.UPLOAD_MACHINE.idFromName(uploadId));

/** The machine's timers have run once. */
const runTimers = (uploadId: string) => runDurableObjectAlarm(machineOf(uploadId));

/** Moves every timer and deadline of the machine into the past by as much. */
export async function elapse(uploadId: string, ms: number): Promise<void> {
  await runInDurableObject(machineOf(uploadId), async (_, { storage }) => {
    storage.sql.exec("UPDATE timers SET due = due - ?", ms);
    storage.sql.exec("UPDATE pieces SET delete_at = delete_at - ? WHERE delete_at > 0", ms);
    await storage.setAlarm(Date.now());
  });
  await runTimers(uploadId);
}

export const storedKeys = async (uploadId: string): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: assetPrefix(uploadId) })).objects
    .map(({ key }) => key.slice(assetPrefix(uploadId).length))
    .toSorted();
