import type { NewRendition } from "../../library/assets/index.ts";
import { encodedChannels } from "../../media/live/multivariant.ts";
import { liveSound } from "../../media/live/sounds.ts";
import { preferredSound } from "../../media/manifest/model.ts";
import type { RecordedSession } from "../origin/recorded/recorded-session.ts";

/** Assumed frame rate of a source that states none. */
const USUAL_RATE = 30;

/** Sizes of init segments are not known here. */
export type RecordedRow = Omit<NewRendition, "initBytes">;

/** A recorded session as rows of an asset's renditions, the largest picture first, sound last. */
export function recordingRows(assetId: string, session: RecordedSession): RecordedRow[] {
  const rows = session.renditions.flatMap(({ name, timescale, segments }): RecordedRow[] => {
    const variant = session.variants.find((one) => one.name === name);
    if (variant === undefined) return [];
    const { kind, codec, widthPx, heightPx } = variant;
    const common = { assetId, name, kind, codec, origin: "ladder" as const, isWhole: true, timescale, segments };
    if (kind === "video") return [{ ...common, widthPx, heightPx, ...frameRateOf(session.frameRate, timescale) }];
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

/** Frame durations are whole ticks (see PICTURE_TIMESCALE), so the fraction is exact: 29.97 Hz at 120000 is 4004 ticks, 30000/1001. */
function frameRateOf(hz: number, timescale: number): { frameRateNum: number; frameRateDen: number } {
  const ticks = Math.max(1, Math.round(timescale / (hz || USUAL_RATE)));
  const common = divisor(timescale, ticks);
  return { frameRateNum: timescale / common, frameRateDen: ticks / common };
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
