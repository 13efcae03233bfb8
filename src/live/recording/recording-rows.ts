import type { NewRendition } from "../../library/assets/index.ts";
import { encodedChannels } from "../../media/live/multivariant.ts";
import { liveSound } from "../../media/live/sounds.ts";
import { formatsIn, frameRateOf, largestOf } from "../../media/manifest/formats.ts";
import { preferredSound } from "../../media/manifest/model.ts";
import type { RecordedSession } from "../origin/recorded/recorded-session.ts";

/** Sizes of init segments are not known here. */
export type RecordedRow = Omit<NewRendition, "initBytes">;

/**
 * A recorded session as rows of an asset's renditions, the largest picture first, sound last. A row has the largest format of its media; its
 * list has all of them, if there are several.
 */
export function recordingRows(assetId: string, session: RecordedSession): RecordedRow[] {
  const rows = session.renditions.flatMap(({ name, timescale, segments: list, formats }): RecordedRow[] => {
    const variant = session.variants.find((one) => one.name === name);
    if (variant === undefined) return [];
    const { kind } = variant;
    const found = formatsIn(list, formats);
    const { codec, widthPx, heightPx, frameRate } = largestOf(found);
    const segments = found.length > 1 ? { ...list, formats: found } : list;
    const common = { assetId, name, kind, codec, origin: "ladder" as const, isWhole: true, timescale, segments };
    const { num: frameRateNum, den: frameRateDen } = frameRateOf(frameRate, timescale);
    if (kind === "video") return [{ ...common, widthPx, heightPx, frameRateNum, frameRateDen }];
    const { isAbsent: _, ...sound } = liveSound(variant, encodedChannels(session.channels));
    return [{ ...common, ...sound }];
  });
  const sounds = rows.filter(({ kind }) => kind === "audio");
  const preferred = preferredSound(sounds);
  const sound = sounds.map((row) => ({ ...row, isDefault: row === preferred }));
  const pictures = rows.filter(({ kind }) => kind === "video");
  const area = ({ widthPx, heightPx }: RecordedRow) => (widthPx ?? 0) * (heightPx ?? 0);
  return [...pictures.toSorted((one, other) => area(other) - area(one)), ...sound];
}
