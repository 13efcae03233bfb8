/** Speed and remaining time of an upload, in words. Pure. */

/** The speed is the average over this time, so that it neither jumps nor lags. */
const WINDOW_MS = 8000;

export class UploadSpeed {
  #samples: { atMs: number; bytes: number }[] = [];

  /** Bytes sent so far. After a pause, call `reset` first. */
  add(bytes: number, atMs: number): void {
    this.#samples.push({ atMs, bytes });
    while (this.#samples.length > 2 && this.#samples[1]!.atMs < atMs - WINDOW_MS) this.#samples.shift();
  }

  reset(): void {
    this.#samples = [];
  }

  /** Null until it can be told. */
  get bytesPerSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.atMs - first.atMs < 500) return null;
    return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1000;
  }
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

export function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** For example "12.0 MB of 24.0 MB, 3.1 MB/s, 4 s left". */
export function figuresText(sentBytes: number, totalBytes: number, bytesPerSecond: number | null): string {
  const parts = [`${sizeText(sentBytes)} of ${sizeText(totalBytes)}`];
  if (bytesPerSecond !== null && bytesPerSecond > 0)
    parts.push(`${sizeText(bytesPerSecond)}/s`, `${timeText((totalBytes - sentBytes) / bytesPerSecond)} left`);
  return parts.join(", ");
}
