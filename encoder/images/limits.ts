/** Limits of a process that makes pictures. Pure. */
import {
  bodyBytesOf,
  type ImageRequest,
  MAX_IMAGE_BODY_BYTES,
  MAX_IMAGE_REQUEST_BYTES,
} from "../../protocol/images.ts";

/** For one picture, sheet or animation. */
const IMAGE_MS = 20_000;

export const takesTooLong = (startedMs: number, nowMs: number): boolean => nowMs - startedMs > IMAGE_MS;

export const isRequestLength = (bytes: number): boolean => bytes > 0 && bytes <= MAX_IMAGE_REQUEST_BYTES;

/** Whether the media of a request may be sent. */
export const isMediaLength = (request: ImageRequest): boolean => bodyBytesOf(request) <= MAX_IMAGE_BODY_BYTES;
