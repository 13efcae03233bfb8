/** Which of several video tracks is the film. Worker and encoder choose the same one, or passthrough would show another picture than the ladder. */

/** A track with fewer pictures is a cover, or a thumbnail. libav's choice of a stream counts up to the same number. */
export const MOVING_PICTURES = 5;

export interface PictureTrack {
  /** Pictures of the track, or as many of them as have been counted. */
  pictureCount: number;
  /** MP4: the track is enabled; elsewhere: the file marks it as the default. */
  isEnabled: boolean;
}

/** The tracks that nothing but their size and order tells apart: moving before still, enabled before disabled. */
export function bestPictureTracks<T extends PictureTrack>(tracks: readonly T[]): T[] {
  const moving = preferred(tracks, ({ pictureCount }) => pictureCount >= MOVING_PICTURES);
  return preferred(moving, ({ isEnabled }) => isEnabled);
}

/** Those that pass, or all when none does. */
function preferred<T>(tracks: readonly T[], passes: (track: T) => boolean): T[] {
  const passing = tracks.filter(passes);
  return passing.length > 0 ? passing : [...tracks];
}
