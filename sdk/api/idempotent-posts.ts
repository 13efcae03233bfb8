import type { paths } from "./api-types.ts";
import type { PathWith } from "./types.ts";

type HeadersOf<Path extends PathWith<"post">> = NonNullable<paths[Path]["post"]["parameters"]["header"]>;

/** The POST operations that take an `Idempotency-Key`: repeated with the same key, they create one object. */
type IdempotentPost = {
  [Path in PathWith<"post">]: [HeadersOf<Path>] extends [never]
    ? never
    : "idempotency-key" extends keyof HeadersOf<Path>
      ? Path
      : never;
}[PathWith<"post">];

/** Complete, or its type is wrong. */
const PATHS: Record<IdempotentPost, true> = {
  "/v1/on-demand": true,
  "/v1/on-demand/upload": true,
  "/v1/on-demand/uploads": true,
  "/v1/on-demand/playlists": true,
  "/v1/on-demand/{mediaId}/tracks": true,
  "/v1/on-demand/{mediaId}/tracks/{trackId}/generate-subtitles": true,
  "/v1/on-demand/{mediaId}/tracks/{trackId}/translate": true,
  "/v1/on-demand/{mediaId}/playback-ids": true,
  "/v1/live/streams": true,
  "/v1/live-stream": true,
  "/v1/live/streams/{streamId}/playback-ids": true,
  "/v1/live/streams/{streamId}/simulcast": true,
  "/v1/webhooks": true,
  "/v1/iam/signing-keys": true,
  "/v1/data/viewlist": true,
  "/v1/data/alerts": true,
  "/v1/imports": true,
  "/v1/imports/credentials": true,
};

export const takesIdempotencyKey = (path: string): boolean => path in PATHS;
