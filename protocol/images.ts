/**
 * Pictures that the encoder makes while the request waits.
 *   POST /images?media=ours|foreign&asset={id}   header `Sluice-Image-Request`: the length of an ImageRequest as JSON, with which the body begins; then the
 *     bytes of its inits, then those of its pieces. `ours` is media that Sluice has encoded; other media may be hostile. `asset` is for the encoder's log
 *     200 the picture, with its Content-Type; for `poster` a PosterChoice as JSON
 *     422 unknown request, media that cannot be decoded, or a body of another length; 429 all places are taken
 */
import { z } from "zod";

export const IMAGE_HEADER = "sluice-image-request";
export const MAX_IMAGE_REQUEST_BYTES = 256 << 10;

/** A GOP of a 2160p rung at its rate cap has 4 MB; the source itself may have more. */
export const MAX_IMAGE_BODY_BYTES = 64 << 20;
/** Longest edge of a picture or a sheet, in pixels. */
export const MAX_EDGE_PX = 8192;
/** Pictures in one sheet. */
const MAX_TILES = 400;
export const MAX_CLIP_SECONDS = 10;

const Px = z.int().min(2).max(MAX_EDGE_PX); // even: 4:2:0
const Size = z.object({ widthPx: Px, heightPx: Px });

/** A stretch of media that can be decoded with its init: from a key frame on. It may end in the middle of a fragment. */
const Piece = z.object({
  init: z.int().min(0),
  bytes: z.int().positive(),
  /** When its first frame is shown. Timestamps count relative to it, because libav shifts those of signed composition offsets. */
  startSeconds: z.number().min(0),
  /** For each, the last frame that is not shown after it is wanted. */
  atSeconds: z.array(z.number()).max(MAX_TILES),
});
export const ImageMedia = z.object({
  /** Sizes of the init segments, in bytes. */
  inits: z.array(z.int().positive()).max(64),
  pieces: z.array(Piece).min(1).max(MAX_TILES),
});
export type ImageMedia = z.infer<typeof ImageMedia>;

/** The strongest blur has a deviation of this part of the shorter edge. */
export const STRONGEST_BLUR = 0.1;

/** In this order: rotation (clockwise), mirroring, scaling, cropping, blurring, padding with black. */
export const Transform = z.object({
  rotate: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  flip: z.enum(["none", "h", "v", "hv"]),
  scale: Size,
  /** `smart`: the part with the most detail instead of the centre. */
  crop: Size.extend({ smart: z.boolean() }).nullable(),
  pad: Size.nullable(),
  /** Percent of the strongest one; absent = none. An encoder of a release before 2026-11-28 does not blur. */
  blur: z.int().min(1).max(100).optional(),
});
export type Transform = z.infer<typeof Transform>;

export const STILL_FORMATS = ["jpg", "png", "webp", "avif"] as const;
export const CLIP_FORMATS = ["gif", "webp"] as const;
export type StillFormat = (typeof STILL_FORMATS)[number];
export type ClipFormat = (typeof CLIP_FORMATS)[number];

/** The first wanted frame of the first piece. */
export const StillRequest = ImageMedia.extend({
  kind: z.literal("still"),
  format: z.enum(STILL_FORMATS),
  transform: Transform,
});
/** The same of a JPEG, which is the only piece. */
export const PictureRequest = z.object({
  kind: z.literal("picture"),
  bytes: z.int().positive(),
  format: z.enum(STILL_FORMATS),
  transform: Transform,
});
/** One JPEG with a tile for each wanted frame, in their order, row by row. */
export const SheetRequest = ImageMedia.extend({
  kind: z.literal("sheet"),
  columns: z.int().positive(),
  rows: z.int().positive(),
  tile: Size,
});
/** Compares the wanted frames. */
export const PosterRequest = ImageMedia.extend({ kind: z.literal("poster") });
/** An animation that repeats. */
export const ClipRequest = ImageMedia.extend({
  kind: z.literal("clip"),
  format: z.enum(CLIP_FORMATS),
  startSeconds: z.number().min(0),
  endSeconds: z.number().positive(),
  framesPerSecond: z.int().min(1).max(30),
  size: Size,
});
export const ImageRequest = z.discriminatedUnion("kind", [
  StillRequest,
  PictureRequest,
  SheetRequest,
  PosterRequest,
  ClipRequest,
]);
export type ImageRequest = z.infer<typeof ImageRequest>;
export type StillRequest = z.infer<typeof StillRequest>;
export type PictureRequest = z.infer<typeof PictureRequest>;
export type SheetRequest = z.infer<typeof SheetRequest>;
export type PosterRequest = z.infer<typeof PosterRequest>;
export type ClipRequest = z.infer<typeof ClipRequest>;

/** `best`: index of the chosen frame among the wanted ones. */
export const PosterChoice = z.object({ best: z.int().min(0), scores: z.array(z.number()) });
export type PosterChoice = z.infer<typeof PosterChoice>;

export const IMAGE_TYPES = {
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  avif: "image/avif",
  gif: "image/gif",
} as const;

/** Bytes of the body that a request announces. */
export function bodyBytesOf(request: ImageRequest): number {
  if (request.kind === "picture") return request.bytes;
  const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
  return sum(request.inits) + sum(request.pieces.map(({ bytes }) => bytes));
}
