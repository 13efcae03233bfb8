import { Problem } from "../platform/http/problems.ts";

/** The same for every address that cannot be played, so that a stranger does not learn which playback IDs exist. */
export const unknownPlayback = () =>
  new Problem(
    "playback_not_found",
    "no such playback id, or no such file of it: manifests end in .m3u8 and .mpd, files for download are capped-4k.mp4, audio.m4a and source, pictures are thumbnail.jpg, .png, .webp and .avif, and those of media, not of streams, also clip.gif and .webp, spritesheet.jpg and .json, advanced-spritesheet.jpg and .json, storyboard.vtt, and captions are text/{trackId}.vtt, .srt, .txt and, for generated ones, .json",
  );

/** The same for every address of a file for download. */
export const unknownDownload = () =>
  new Problem(
    "playback_not_found",
    "no such playback id, or it does not offer this file: `source` needs `sourceAccess`, `capped-4k.mp4` and `audio.m4a` need `mp4Support`, a ready media, and its picture or sound",
  );
