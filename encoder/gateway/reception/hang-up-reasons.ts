/** Why a broadcaster is disconnected. It gets the reason, so the list is closed, and docs/guides/live.md explains each. */
import { END_REASONS } from "../../../protocol/live.ts";

/** Media that no encoder could use. */
const SOURCE_REASONS = ["source_not_media", "source_no_streams", "source_too_large_picture", "source_damaged"] as const;

export const HANG_UP_REASONS = [
  ...END_REASONS,
  ...SOURCE_REASONS,
  "broadcaster_left",
  "silent",
  "encoder_failed",
  "gateway_leaves",
  "over", // the Worker gives no reason: the session expired while this gateway could not reach it
] as const;
export type HangUpReason = (typeof HANG_UP_REASONS)[number];

/** @param code of an encoder that could not use the source */
export const sourceReason = (code: string): HangUpReason =>
  SOURCE_REASONS.find((reason) => reason === code) ?? "source_damaged";
