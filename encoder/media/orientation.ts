/** How a picture is turned upright, from its display matrix. */
import type { SourceVideo } from "../../protocol/source-facts.ts";

/** First the mirroring, if any, then the rotation. */
export type Orientation = Pick<SourceVideo, "rotationDegrees" | "isMirrored">;

/**
 * One of the eight orientations of a picture, from a display matrix (ISO/IEC 14496-12 §6.2.2), to the nearest quarter turn. Cameras on the front of
 * a phone write mirrored ones.
 */
export function orientationOf(matrix: Buffer | null): Orientation {
  if (matrix === null || matrix.length < 36) return { rotationDegrees: 0 };
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => matrix.readInt32LE(at)) as [number, number, number, number];
  const isMirrored = a * d - b * c < 0;
  // A mirrored picture has been turned after its x axis was reversed.
  const quarters = Math.round((isMirrored ? Math.atan2(-b, -a) : Math.atan2(b, a)) / (Math.PI / 2));
  const rotationDegrees = ((((quarters % 4) + 4) % 4) * 90) as SourceVideo["rotationDegrees"];
  return { rotationDegrees, ...(isMirrored ? { isMirrored } : {}) };
}
