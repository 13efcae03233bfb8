/** Opens the rungs of a run: one encoder for each, and the top rung, which may be copied from the source. */
import type { VideoRung } from "../../protocol/jobs.ts";
import { colorPlan } from "../media/scale-graph.ts";
import { placeOf } from "./continuation.ts";
import { canHoldCopy, type Copy, CopiedRung } from "./copied-rung.ts";
import { liveEncoderOptions, LiveRung } from "./live-rung.ts";
import { PartCutter } from "./part-cutter.ts";
import { hdrOf } from "./picture-ladder.ts";
import type { RunCuts } from "./run-cuts.ts";
import type { RunPicture, RunPlan } from "./run-plan.ts";
import type { SegmentGrid } from "./segment-grid.ts";
import { TopRung } from "./top-rung.ts";

export interface RenditionInit {
  name: string;
  init: LiveRung["init"];
}

export interface RunRungs {
  /** Rungs that are encoded at the start of the run, largest first. */
  encoded: LiveRung[];
  top: TopRung | null;
  /** In ladder order. */
  inits: RenditionInit[];
  /** The first unpublished output frame of any encoded rung. */
  firstNew: number;
}

export async function openRungs(
  plan: RunPlan,
  picture: RunPicture,
  grid: SegmentGrid,
  cuts: RunCuts,
): Promise<RunRungs> {
  const opener = new RungOpener(plan, picture, grid, cuts);
  const encoded: LiveRung[] = [];
  const inits: RenditionInit[] = [];
  const top = picture.copy && (await opener.openTop(picture.copy));
  if (top !== null) {
    inits.push({ name: top.copied.rung.name, init: top.copied.init });
    if (top.phase !== "copied") encoded.push(top.lead);
  }
  for (const rung of picture.rungs) {
    const opened = await opener.open(rung, opener.cutter(rung));
    inits.push({ name: rung.name, init: opened.init });
    encoded.push(opened);
  }
  const firstNew = Math.min(...encoded.map(({ rung }) => placeOf(rung.name, plan.continues).sample));
  return { encoded, top, inits, firstNew };
}

/** Whether the last picture can be repeated in every rung. If not, all rungs end with the source's last picture. */
export const canHold = ({ copy }: Pick<RunPicture, "copy">): boolean => copy === null || canHoldCopy(copy);

class RungOpener {
  readonly #plan: RunPlan;
  readonly #picture: RunPicture;
  readonly #grid: SegmentGrid;
  readonly #cuts: RunCuts;

  constructor(plan: RunPlan, picture: RunPicture, grid: SegmentGrid, cuts: RunCuts) {
    this.#plan = plan;
    this.#picture = picture;
    this.#grid = grid;
    this.#cuts = cuts;
  }

  cutter({ name }: VideoRung): PartCutter {
    const cuts = this.#cuts.picture(name, this.#picture.grid, canHold(this.#picture));
    return new PartCutter(cuts, placeOf(name, this.#plan.continues));
  }

  async openTop(copy: Copy): Promise<TopRung> {
    const { continues, isFirstShort } = this.#plan;
    const { grid } = this.#picture;
    const { sample } = placeOf(copy.rung.name, continues);
    const cutter = this.cutter(copy.rung);
    const lead = await this.open(copy.rung, cutter, copy.leadParameterSetId);
    const copied = new CopiedRung(copy, lead.avcConfig, grid, this.#grid, this.#colorMatrix, cutter, sample);
    const phase = continues?.run.copied?.phase ?? (isFirstShort && this.#grid.firstUndivided > 0 ? "lead" : "copied");
    return new TopRung(copied, lead, phase);
  }

  open(rung: VideoRung, cutter: PartCutter, parameterSetId = 0): Promise<LiveRung> {
    const { isFirstShort, continues } = this.#plan;
    const { grid, codecs } = this.#picture;
    const codec = codecs.get(rung.name) ?? null;
    const options = liveEncoderOptions(rung, grid, { codec, isFirstShort, parameterSetId });
    const firstFrame = placeOf(rung.name, continues).sample;
    return LiveRung.open(rung, grid, this.#grid, this.#colorMatrix, cutter, options, firstFrame);
  }

  get #colorMatrix() {
    const { like } = this.#picture;
    return colorPlan(like.colorSpace, like.height, hdrOf(like)).matrix;
  }
}
