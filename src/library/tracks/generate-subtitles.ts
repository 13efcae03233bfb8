import type { CreateContext } from "../../platform/http/idempotency.ts";
import { openDatabase } from "../../platform/database.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { findAsset } from "../assets/repository.ts";
import { addTrack } from "./add-track.ts";
import { audioRenditionOf } from "./store/repository.ts";
import type { GenerateSubtitles } from "./schemas.ts";

/**
 * Adds a subtitle track that is made of a sound of the media.
 *
 * @param soundId the track of the sound: of the source, or an added one
 * @throws {Problem} media_not_found, track_not_found, duplicate_language_name, track_limit_reached
 */
export async function generateSubtitles(
  { assetId, soundId }: { assetId: string; soundId: string },
  { languageCode, languageName, title, metadata }: GenerateSubtitles,
  context: CreateContext,
) {
  const record = orNotFound(
    await findAsset(openDatabase(context.env.DB), context.workspaceId, assetId),
    "media_not_found",
  );
  const added = record.addedTracks.find(({ id, kind }) => id === soundId && kind === "audio");
  const sounds = record.tracks.filter(({ kind }) => kind === "audio");
  const position = sounds.findIndex(({ id }) => id === soundId);
  const sound = added === undefined ? (position < 0 ? null : `a${position + 1}`) : audioRenditionOf(added.id);
  const generated = {
    sound: orNotFound(sound, "track_not_found"),
    languageCode: languageCode.split("-")[0]!.toLowerCase(),
    prompt: "",
    ...(metadata === undefined ? {} : { metadata }),
  };
  return await addTrack(
    assetId,
    { kind: "subtitle", url: null, languageCode, languageName, title, generated },
    context,
  );
}
