import type { ClipRequest, PosterRequest, SheetRequest, StillFormat, StillRequest } from "../../../protocol/images.ts";
import type { MediaPlace } from "../../media/images/place.ts";
import type { PosterPlan } from "../../media/images/poster-plan.ts";
import type { Fit } from "../../media/images/sizes.ts";
import type { Env } from "../../platform/env.ts";
import { type Remote, remoteObject } from "../../platform/machine/remote.ts";

/** What is made of the media, without the media. */
export type ImageWork =
  | Omit<StillRequest, "inits" | "pieces">
  | Omit<SheetRequest, "inits" | "pieces">
  | Omit<ClipRequest, "inits" | "pieces">
  | Omit<PosterRequest, "inits" | "pieces">;

/** In the place of a playback ID. What the owner of a media looks at has an allowance of its own, which viewers cannot use up. */
export const REVIEW = "review";

/** A picture to make from an asset's media, and to keep under its name. */
export interface ImageOrder {
  assetId: string;
  /** Its pictures have a share of an encoder's places; null = not known. */
  workspaceId: string | null;
  /** Counted for this playback ID, or for `REVIEW`; null = made by the platform itself. */
  playbackId: string | null;
  /** Canonical: equal pictures have equal names. With the extension. */
  name: string;
  /** Time in the presentation, to find the nearest made picture; null = there is no other. */
  nearSeconds: number | null;
  /** How many stills it costs as much as. */
  weight: number;
  work: ImageWork;
  places: MediaPlace[];
  /** The same of another rung, for media that cannot be decoded. */
  instead?: Pick<ImageOrder, "work" | "places">;
}

/** The newest thumbnail of a broadcast in another size or format. */
export interface PictureOrder {
  sessionId: string;
  workspaceId: string;
  playbackId: string;
  format: StillFormat;
  fit: Fit;
}

export type ImageAnswer =
  | { kind: "made"; type: string; bytes: ArrayBuffer }
  /** Another picture, because the playback ID has had as many as it may. */
  | { kind: "nearest"; type: string; bytes: ArrayBuffer }
  | { kind: "too many"; retryAfterSeconds: number }
  /** The media cannot be read or decoded. */
  | { kind: "unreadable" }
  /** No encoder can be reached, or all are busy. */
  | { kind: "unavailable" };

/** The RPC methods of an asset's image maker (`durable-objects/image-maker.ts`). */
export interface ImageCalls {
  make(order: ImageOrder): Promise<ImageAnswer>;
  /** The time of the frame that stands for the asset, in seconds; null = no encoder can be asked. */
  choosePoster(assetId: string, plan: PosterPlan): Promise<number | null>;
  change(order: PictureOrder): Promise<ImageAnswer>;
  /** Has the sheet and the poster of a ready asset made, after the answer. Repeatable. */
  prepareSoon(assetId: string): void;
}

/** Returns a stub; sends nothing. @param id of the asset, or of the session of a broadcast */
export const imageMaker = (env: Env, id: string): Remote<ImageCalls> => remoteObject(env.IMAGE_MAKER, id);
