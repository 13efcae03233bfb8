/** The MP4 of a video: ordered once, then polled; for private videos at an address that is signed. */
import type { z } from "@hono/zod-openapi";
import { SourceFailure, type ItemErrorCode, type ListedVideo, type Resolution } from "./source.ts";
import { DownloadsAnswer, TokenAnswer } from "./cloudflare-answers.ts";
import type { CloudflareApi } from "./cloudflare-api.ts";

const REFUSALS = new Set<ItemErrorCode>(["permission_missing", "credentials_invalid"]);

type Downloads = z.infer<typeof DownloadsAnswer>;

const POLL_MS = 10_000;
/** Until the state is stored. */
const ORDER_AFTER_MS = 1000;
/** Cloudflare allows 24 h. */
const TOKEN_LIFE_MS = 23 * 60 * 60_000;
/** What is left of a token when its address is given away for the last time. */
const MARGIN_MS = 60 * 60_000;

/** The state, which is stored before the order is sent: `release` then knows, also after a crash, that the download is not the owner's. */
const ORDERED = { ordersDownload: true };

/** @param state of the last `waiting` */
export async function resolveDownload(
  api: CloudflareApi,
  video: ListedVideo,
  state: Record<string, unknown> | null,
  nowMs: number,
): Promise<Resolution> {
  const path = api.stream(video.id, "/downloads");
  const known = await api.read({ path }, DownloadsAnswer, LIST_OF_DOWNLOADS);
  const isMissing = known !== null && known.result?.default == null;
  const ours = ordersDownload(state ?? {});
  if (isMissing && !ours) return { status: "waiting", retryAfterMs: ORDER_AFTER_MS, state: ORDERED };
  const downloads = isMissing ? await order(api, path) : known;
  if (downloads === null) throw gone();
  const download = downloads.result?.default;
  if (download?.status === "error") {
    throw new SourceFailure("no_file", "Cloudflare could not make the MP4 of this video.");
  }
  if (download?.status !== "ready") return { status: "waiting", retryAfterMs: POLL_MS, state: ours ? ORDERED : {} };
  const url = download.url ?? "";
  if (!URL.canParse(url)) throw unreadable('"result.default.url" is no URL');
  return video.policy === "public" ? { status: "ready", url, expiresAtMs: null } : signed(api, video.id, url, nowMs);
}

const ordersDownload = (state: Record<string, unknown>): boolean => state["ordersDownload"] === true;

/**
 * Deletes the MP4 that was ordered for the migration. Downloads that the owner had stay: the MP4, as none was ordered then, and the M4A of the
 * sound, which `DELETE /downloads` would take along.
 *
 * @throws {SourceFailure} no_file where the MP4 is still there
 */
export async function deleteDownload(api: CloudflareApi, { id, ref }: ListedVideo): Promise<void> {
  if (!ordersDownload(ref)) return;
  const path = api.stream(id, "/downloads");
  const { status } = await api.json({ method: "DELETE", path: `${path}/default` });
  if (status < 400) return;
  const left = await api.read({ path }, DownloadsAnswer, LIST_OF_DOWNLOADS);
  if (left?.result?.default == null) return;
  if (!UNKNOWN_PATH.has(status) || hasOthers(left)) throw notDeleted(status);
  const whole = await api.json({ method: "DELETE", path });
  if (whole.status >= 400 && whole.status !== 404) throw notDeleted(whole.status);
}

/** An API that has no downloads by kind; it then has none but the MP4 either. */
const UNKNOWN_PATH = new Set([404, 405]);
const LIST_OF_DOWNLOADS = "Cloudflare's list of downloads";

const hasOthers = ({ result }: Downloads): boolean =>
  Object.entries(result ?? {}).some(([kind, download]) => kind !== "default" && download != null);

const notDeleted = (status: number) =>
  new SourceFailure("no_file", `Cloudflare refused to delete the MP4 that was ordered, with status ${status}.`);

async function order(api: CloudflareApi, path: string): Promise<Downloads | null> {
  try {
    return await api.read({ method: "POST", path }, DownloadsAnswer, "Cloudflare's answer to the order of a download");
  } catch (error) {
    // The same token has just read the downloads. For a permission that it lacks, Cloudflare answers 403 or 401.
    if (!(error instanceof SourceFailure) || !REFUSALS.has(error.code)) throw error;
    const message = "Cloudflare refused to make an MP4: the API token lacks the permission Stream Write.";
    throw new SourceFailure("permission_missing", message, { cause: error });
  }
}

/** A private video's address has a token in place of the video's ID. */
async function signed(api: CloudflareApi, uid: string, url: string, nowMs: number): Promise<Resolution> {
  const expiresAtMs = nowMs + TOKEN_LIFE_MS;
  const body = { downloadable: true, exp: Math.floor(expiresAtMs / 1000) };
  const answer = await api.read(
    { method: "POST", path: api.stream(uid, "/token"), body },
    TokenAnswer,
    "Cloudflare's answer for a token",
  );
  if (answer === null) throw gone();
  const address = new URL(url);
  const parts = address.pathname.split("/");
  if (!parts.includes(uid)) throw unreadable('"result.default.url" lacks the ID of the video');
  address.pathname = parts.map((part) => (part === uid ? answer.result.token : part)).join("/");
  return { status: "ready", url: address.href, expiresAtMs: expiresAtMs - MARGIN_MS };
}

const gone = () => new SourceFailure("video_gone", "Cloudflare has no such video any more.");

const unreadable = (what: string) =>
  new SourceFailure("source_unreadable", `Cloudflare's list of downloads is not as documented: ${what}.`);
