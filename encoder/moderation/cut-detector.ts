/** Finds the first pictures of scenes, in pictures of a few cells. Pure. */

/** Mean difference of a cell's samples, of 255, that a cut has at least. */
const CUT_LEVELS = 9;
/** The changes of so many pictures before are what a picture is compared with: noise, fades and movement change each picture. */
const COMPARED_CHANGES = 4;

export class CutDetector {
  #before: Uint8Array | null = null;
  #changes: number[] = [];

  /**
   * @param cells samples of the picture, equally many for each picture; kept until the next one
   * @returns whether it differs from the one before by more than pictures have differed lately
   */
  put(cells: Uint8Array): boolean {
    const change = this.#before === null ? 0 : meanDifference(this.#before, cells);
    const isCut = change - Math.max(0, ...this.#changes) >= CUT_LEVELS;
    this.#before = cells;
    this.#changes = [...this.#changes.slice(1 - COMPARED_CHANGES), change];
    return isCut;
  }
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += Math.abs(one[i]! - other[i]!);
  return sum / one.length;
}
