/** Plans the picture of each run of a broadcast: its ladder and the copied rung. */
import type { Frame } from "node-av/lib";
import { AV_PKT_DATA_DISPLAYMATRIX } from "node-av/constants";
import type { VideoRung } from "../../protocol/jobs.ts";
import { codecLike, type H264Codec } from "../media/h264.ts";
import { type Orientation, orientationOf } from "../media/orientation.ts";
import { CannotContinue } from "./continuation.ts";
import { planLiveLadder, refitLadder } from "./ladder-plan.ts";
import type { LiveGrid } from "./live-grid.ts";
import type { LiveSource } from "./live-source.ts";
import type { BroadcastPlan } from "./output.ts";
import type { RunPicture } from "./run-plan.ts";
import type { RunState } from "./run-state.ts";
import { SourceCopy } from "./source-copy.ts";
import { displaySize } from "./source-shape.ts";

export class PicturePlans {
  readonly #video: NonNullable<LiveSource["video"]>;
  readonly #settings: BroadcastPlan["settings"];
  readonly grid: LiveGrid;
  /** Null when the source is never copied. */
  readonly copy: SourceCopy | null;
  /** Rungs of the whole broadcast; empty before its first picture. */
  ladder: VideoRung[];
  readonly codecs: Map<string, H264Codec>;
  readonly #dropped = new Set<string>();

  /** @param times of the source's first pictures @param continues the run to continue, started by another encoder */
  constructor(
    video: NonNullable<LiveSource["video"]>,
    { settings, encodesTopRung, continues }: BroadcastPlan,
    grid: LiveGrid,
    times: number[],
  ) {
    this.#video = video;
    this.#settings = settings;
    this.grid = grid;
    this.copy = encodesTopRung === true ? null : SourceCopy.of(video, times, grid.frameRate);
    this.ladder = continues?.run.ladder ?? [];
    this.codecs = new Map(continues?.run.codecs);
    for (const name of continues?.dropped ?? []) this.#dropped.add(name);
  }

  /** Excludes a rung from all later runs. */
  drop(name: string): void {
    this.#dropped.add(name);
  }

  /** @param like the run's first picture @param canCopy whether the source's own pictures can begin with it */
  next(like: Frame, canCopy: boolean): RunPicture {
    const orientation = this.#orientation;
    const size = displaySize(like, orientation.rotationDegrees);
    const { grid, codecs, copy } = this;
    const { maxResolution, segmentMs } = this.#settings;
    if (this.ladder.length === 0) this.ladder = planLiveLadder(size, grid.frameRate, maxResolution);
    const rungs = refitLadder(this.ladder, size).filter(({ name }) => !this.#dropped.has(name));
    const [top, ...others] = rungs;
    const bitrateBps =
      copy !== null && canCopy && isAsCoded(orientation) && others.length > 0 && copy.suits(like, top!)
        ? copy.bitrateFor(top!, segmentMs)
        : null;
    if (copy === null || bitrateBps === null) return { grid, rungs, like, ...orientation, copy: null, codecs };
    const { parameterSets } = copy;
    codecs.set(top!.name, codecLike(parameterSets.avcConfig)!);
    const copied = { rung: top!, bitrateBps, ...parameterSets };
    return { grid, rungs: others, like, ...orientation, copy: copied, codecs };
  }

  /**
   * Plans the picture of a run that another encoder started.
   *
   * @throws {CannotContinue} when the run was being copied and this source cannot be
   */
  continued({ rungs, copied }: RunState, like: Frame): RunPicture {
    const copy = copied && { ...copied, avcConfig: Buffer.from(copied.avcConfig, "base64") };
    const isSame = copy !== null && this.copy?.parameterSets.avcConfig.equals(copy.avcConfig) === true;
    if (copy !== null && (!isSame || copy.phase === "encoded")) this.copy?.end();
    if (copy?.phase === "copied" && !isSame) throw new CannotContinue("the source can no longer be copied");
    return {
      grid: this.grid,
      rungs: rungs.filter(({ name }) => !this.#dropped.has(name)),
      like,
      ...this.#orientation,
      copy: copy !== null && this.#dropped.has(copy.rung.name) ? null : copy,
      codecs: this.codecs,
    };
  }

  get #orientation(): Orientation {
    return orientationOf(this.#video.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX));
  }
}

const isAsCoded = ({ rotationDegrees, isMirrored }: Orientation) => rotationDegrees === 0 && isMirrored !== true;
