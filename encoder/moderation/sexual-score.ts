/** What the classes of nsfwjs say about one category, `sexual`. Pure. */

/** Classes of nsfwjs, in the order of its model's output. */
export const CLASSES = ["Drawing", "Hentai", "Neutral", "Porn", "Sexy"] as const;
export type ClassShares = Record<(typeof CLASSES)[number], number>;

/** Swimwear, dance and sport are of the class `Sexy` as well, so a picture that is that alone scores a half. */
const SEXY_WEIGHT = 0.5;

/** @param shares of each class, which add up to 1 @returns 0 to 1 */
export function sexualScore({ Porn, Hentai, Sexy }: ClassShares): number {
  const score = Porn + Hentai + Sexy * SEXY_WEIGHT;
  return Math.min(1, Math.max(0, Math.round(score * 10_000) / 10_000));
}
