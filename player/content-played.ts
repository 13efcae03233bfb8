/** A larger step of the playhead is a seek. */
const MAX_STEP_SECONDS = 2;

interface Shown {
  playheadSeconds: number;
  /** CSS pixels. */
  player: { width: number; height: number };
  /** Size of the rendition, in pixels; 0 = not known. */
  video: { width: number; height: number };
}

/** How much of the content was played, and how its picture was scaled (media contract, analytics: "SDK arithmetic"). Pure. */
export class ContentPlayed {
  playedMs = 0;
  furthestMs = 0;
  /** Fraction × ms. */
  upscaling = 0;
  downscaling = 0;
  mostUpscaling = 0;
  mostDownscaling = 0;
  #playheadSeconds: number | null = null;

  /** The playhead jumps; what it skips is not played. */
  jump(): void {
    this.#playheadSeconds = null;
  }

  advance({ playheadSeconds, player, video }: Shown): void {
    const step = playheadSeconds - (this.#playheadSeconds ?? playheadSeconds);
    this.#playheadSeconds = playheadSeconds;
    this.furthestMs = Math.max(this.furthestMs, playheadSeconds * 1000);
    if (step <= 0 || step > MAX_STEP_SECONDS) return;
    const ms = step * 1000;
    this.playedMs += ms;
    if (video.width === 0 || video.height === 0) return;
    const ratio = Math.min(player.width / video.width, player.height / video.height);
    const [up, down] = [Math.max(0, ratio - 1), Math.max(0, 1 - ratio)];
    this.upscaling += up * ms;
    this.downscaling += down * ms;
    this.mostUpscaling = Math.max(this.mostUpscaling, up);
    this.mostDownscaling = Math.max(this.mostDownscaling, down);
  }
}
