/** Records of one workspace, one of each kind that operations of the contract name, and the paths to them. */
import { env } from "cloudflare:test";
import { tracks } from "../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { signingKeys } from "../../../src/tenancy/signing-keys/tables.ts";
import type { ContractOperation } from "../../contract/contract.ts";
import type { Made } from "../../contract/requests.ts";
import { storeView } from "../analytics/beacon-helpers.ts";
import { newStream } from "../live/live-helpers.ts";
import { type TestWorkspace, videoFrom } from "../workspace.ts";

export type { Made };

export const SOME_UUID = "4f649eaa-7940-4b89-9c64-81be638246ab";

export async function newMade(workspace: TestWorkspace): Promise<Made> {
  const make = async (path: string, body?: object) =>
    (await (await workspace.request("POST", path, body)).json<{ data: Record<string, string> }>()).data;
  const media = await make("/v1/on-demand", videoFrom("https://cdn.test/a.mp4"));
  const subtitles = { url: "https://cdn.test/a.srt", type: "subtitle", languageCode: "it", languageName: "Italian" };
  const track = await make(`/v1/on-demand/${media["id"]}/tracks`, { tracks: subtitles });
  const upload = await make("/v1/on-demand/uploads", { corsOrigin: "*" });
  const stream = await newStream(workspace);
  const target = { url: "rtmp://live.example.com/app", streamKey: "a" };
  const simulcast = await make(`/v1/live/streams/${stream.streamId}/simulcast`, target);
  const playlist = await make("/v1/on-demand/playlists", { name: "a", referenceId: "a", type: "manual" });
  const configuration = await make("/v1/on-demand/drm-configurations", { keySystems: ["clearkey"] });
  const signingKeyId = crypto.randomUUID(); // not over the API, which would make a key pair for each operation
  await openDatabase(env.DB)
    .insert(signingKeys)
    .values({ id: signingKeyId, workspaceId: workspace.id, publicKey: "", createdAt: new Date() });
  const soundId = crypto.randomUUID();
  await openDatabase(env.DB).insert(tracks).values({ id: soundId, assetId: media["id"]!, position: 9, kind: "audio" });
  return {
    mediaId: media["id"]!,
    trackId: track["id"]!,
    soundId,
    uploadId: upload["uploadId"]!,
    livestreamId: stream.streamId,
    streamId: stream.streamId,
    playbackId: stream.playbackIds[0]!.id,
    mediaPlaybackId: (media as unknown as { playbackIds: { id: string }[] }).playbackIds[0]!.id,
    simulcastId: simulcast["simulcastId"]!,
    playlistId: playlist["id"]!,
    signingKeyId,
    viewId: await storeView(workspace.id, "Harbour"),
    metricId: "views",
    dimensionsId: "browser_name",
    drmConfigurationId: configuration["id"]!,
  };
}

/**
 * The same ids for this operation: below a media, `playbackId` is the media's, and the stream's is one of another kind; subtitles are generated from a track that
 * is a sound.
 */
export function idsFor({ path }: Pick<ContractOperation, "path">, made: Made): Made {
  if (!path.startsWith("/v1/on-demand/")) return made;
  const ofMedia = { ...made, playbackId: made.mediaPlaybackId, mediaPlaybackId: made.playbackId };
  return path.endsWith("/generate-subtitles") ? { ...ofMedia, trackId: made.soundId, soundId: made.trackId } : ofMedia;
}

export const pathOf = ({ path }: ContractOperation, ids: object, query = "") =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (ids as Record<string, string>)[name] ?? SOME_UUID) +
  (query === "" ? "" : `?${query}`);
