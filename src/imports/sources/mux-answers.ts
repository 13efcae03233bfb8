/**
 * What is read of Mux's answers. From https://www.mux.com/docs/api-reference (assets, whoami) and the types of its client @mux/mux-node
 * 15.3.0, read in November 2026. Fields without which a video cannot be known are required; the rest is taken if it is there.
 */
import { z } from "@hono/zod-openapi";

const text = z.string().nullish().catch(null);
const number = z.number().nullish().catch(null);

const Track = z.looseObject({
  id: text,
  /** video, audio or text. */
  type: z.string(),
  status: text,
  max_width: number,
  max_height: number,
  language_code: text,
  name: text,
  /** subtitles or chapters. */
  text_type: text,
  /** uploaded, embedded, generated_vod, generated_live, generated_live_final. */
  text_source: text,
});

/** Of the older `mp4_support`, files have no status of their own. */
const StaticRendition = z.looseObject({ name: text, status: text, height: number, filesize: text, ext: text });

export const Asset = z.looseObject({
  id: z.string().min(1),
  /** Seconds since 1970, as text. */
  created_at: z.coerce.number().positive(),
  /** preparing, ready or errored. */
  status: z.string(),
  duration: number,
  aspect_ratio: text,
  resolution_tier: text,
  is_live: z.boolean().nullish().catch(null),
  test: z.boolean().nullish().catch(null),
  thumbnail_time: number,
  errors: z
    .looseObject({ messages: z.array(z.string()).nullish().catch(null) })
    .nullish()
    .catch(null),
  meta: z.looseObject({ title: text, creator_id: text, external_id: text }).nullish().catch(null),
  passthrough: text,
  playback_ids: z.array(z.looseObject({ id: z.string(), policy: z.string() })).nullish(),
  tracks: z.array(Track).nullish(),
  /** temporary or none. */
  master_access: text,
  master: z.looseObject({ status: text, url: text }).nullish().catch(null),
  static_renditions: z
    .looseObject({ status: text, files: z.array(StaticRendition).nullish().catch(null) })
    .nullish()
    .catch(null),
});
export type Asset = z.infer<typeof Asset>;
export type Rendition = z.infer<typeof StaticRendition>;

export const AssetAnswer = z.looseObject({ data: Asset });

/** `next_cursor` is null or "" at the end of the list. */
export const AssetsAnswer = z.looseObject({ data: z.array(Asset), next_cursor: z.string().nullish() });

export const WhoamiAnswer = z.looseObject({
  data: z.looseObject({
    environment_id: z.string().min(1),
    environment_name: text,
    organization_name: text,
    permissions: z.array(z.string()),
  }),
});
