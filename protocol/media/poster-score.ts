/** Judges how well a frame stands for its video. Pure. */

/** Luma of a small picture, 0 (black) to 255, row by row. */
export interface SmallPicture {
  widthPx: number;
  heightPx: number;
  luma: Uint8Array;
}

/** Frames darker or brighter than this on average are black, white or fading. */
const [DARK, BRIGHT] = [28, 228];
/** Standard deviation of the luma below which a frame is a plain colour, or nearly faded out. */
const FLAT = 12;
/** The detail of a sharp frame; more does not count, because noise has the most. */
const ENOUGH_DETAIL = 900;
const ENOUGH_CONTRAST = 60;

/**
 * The score of a frame, 0 to 1. Black, white, plain and faded frames have next to nothing. Otherwise sharpness (variance of the Laplacian)
 * and contrast count, and less so a medium brightness.
 */
export function posterScore({ widthPx, heightPx, luma }: SmallPicture): number {
  const { mean, deviation } = spread(luma);
  const detail = laplacianVariance(luma, widthPx, heightPx);
  const sharpness = Math.min(1, Math.sqrt(detail / ENOUGH_DETAIL));
  const contrast = Math.min(1, deviation / ENOUGH_CONTRAST);
  const balance = 1 - Math.abs(mean - 118) / 137;
  const score = 0.5 * sharpness + 0.35 * contrast + 0.15 * Math.max(0, balance);
  const isPlain = mean < DARK || mean > BRIGHT || deviation < FLAT;
  return isPlain ? score * 0.1 : score;
}

/** The index of the best frame; the earliest among equals. */
export function bestPoster(scores: readonly number[]): number {
  return scores.reduce((best, score, index) => (score > scores[best]! ? index : best), 0);
}

function spread(values: Uint8Array): { mean: number; deviation: number } {
  let [sum, squares] = [0, 0];
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / Math.max(1, values.length);
  return { mean, deviation: Math.sqrt(Math.max(0, squares / Math.max(1, values.length) - mean * mean)) };
}

function laplacianVariance(luma: Uint8Array, widthPx: number, heightPx: number): number {
  let [sum, squares, count] = [0, 0, 0];
  for (let y = 1; y < heightPx - 1; y++) {
    for (let x = 1; x < widthPx - 1; x++) {
      const at = y * widthPx + x;
      const value = 4 * luma[at]! - luma[at - 1]! - luma[at + 1]! - luma[at - widthPx]! - luma[at + widthPx]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  return count === 0 ? 0 : squares / count - (sum / count) ** 2;
}

/**
 * The position of a window along one axis that holds the most detail.
 *
 * @param detail of each column or row
 * @param window length in the same units, at most `detail.length`
 * @returns the first index of the window; the one nearest to the centre among equals
 */
export function busiestWindow(detail: readonly number[], window: number): number {
  const last = detail.length - window;
  let sum = detail.slice(0, window).reduce((total, value) => total + value, 0);
  let [best, bestSum] = [0, sum];
  const fromCentre = (start: number) => Math.abs(start - last / 2);
  for (let start = 1; start <= last; start++) {
    sum += detail[start + window - 1]! - detail[start - 1]!;
    const isEqual = Math.abs(sum - bestSum) < 1e-9;
    if (isEqual ? fromCentre(start) < fromCentre(best) : sum > bestSum) [best, bestSum] = [start, sum];
  }
  return best;
}

/** Sums of the luma's differences between neighbours, for each column and each row. */
export function detailOf({ widthPx, heightPx, luma }: SmallPicture): { columns: number[]; rows: number[] } {
  const columns = Array.from({ length: widthPx }, () => 0);
  const rows = Array.from({ length: heightPx }, () => 0);
  for (let y = 1; y < heightPx; y++) {
    for (let x = 1; x < widthPx; x++) {
      const at = y * widthPx + x;
      const change = Math.abs(luma[at]! - luma[at - 1]!) + Math.abs(luma[at]! - luma[at - widthPx]!);
      columns[x]! += change;
      rows[y]! += change;
    }
  }
  return { columns, rows };
}
