import { OPEN_RESTRICTIONS, type PlaybackId } from "../../tenancy/access/index.ts";

/** A playback ID as answers and events have it. */
export const toPlaybackId = ({ id, accessPolicy, accessRestrictions, resolution }: PlaybackId) => ({
  id,
  accessPolicy,
  accessRestrictions: accessRestrictions ?? { ...OPEN_RESTRICTIONS },
  ...(resolution === null ? {} : { resolution }),
});
