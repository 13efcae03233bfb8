/** The scores of a view, 0 to 1 (media contract, analytics: "Formulas" and the metrics). Pure. */

const WEIGHTS = { stability: 0.4275, render: 0.2975, startup: 0.275 };
/** Startup time that halves the score, in seconds. */
const HALVING_STARTUP_SECONDS = 8;
/** Leaving within this time says nothing about a view's quality. */
const BRIEF_MS = 1000;

export interface ScoreInputs {
  hasStarted: boolean;
  hasFailed: boolean;
  /** Null = no picture was shown. */
  startupMs: number | null;
  /** From the start of the view to its last event. */
  lengthMs: number;
  bufferCount: number;
  bufferRatio: number;
  avgUpscaling: number;
  maxUpscaling: number;
}

export interface Scores {
  playbackScore: number | null;
  startupScore: number | null;
  stabilityScore: number | null;
  renderQualityScore: number | null;
  qualityOfExperienceScore: number | null;
}

/** Null = not applicable to the view. */
export function scoresOf(view: ScoreInputs): Scores {
  const playbackScore = playbackScoreOf(view);
  const startupScore =
    view.startupMs === null
      ? null
      : HALVING_STARTUP_SECONDS / (HALVING_STARTUP_SECONDS + Math.max(0, view.startupMs) / 1000);
  const stabilityScore = view.hasStarted ? stability(view) : null;
  const renderQualityScore = view.hasStarted
    ? Math.exp(-0.33 * (0.85 * view.avgUpscaling + 0.15 * view.maxUpscaling))
    : null;
  return {
    playbackScore,
    startupScore,
    stabilityScore,
    renderQualityScore,
    qualityOfExperienceScore: experience(playbackScore, { startupScore, stabilityScore, renderQualityScore }),
  };
}

function playbackScoreOf({ hasStarted, hasFailed, lengthMs }: ScoreInputs): number | null {
  if (hasFailed) return 0;
  if (hasStarted) return 1;
  return lengthMs < BRIEF_MS ? null : 0.5;
}

const stability = ({ bufferCount, bufferRatio }: ScoreInputs) =>
  (1 / Math.sqrt(1 + (bufferCount / 2) ** 2) + Math.exp(-10 * bufferRatio)) / 2;

function experience(
  playback: number | null,
  parts: Pick<Scores, "startupScore" | "stabilityScore" | "renderQualityScore">,
): number | null {
  if (playback === null || playback === 0) return playback;
  const { startupScore, stabilityScore, renderQualityScore } = parts;
  if (startupScore === null || stabilityScore === null || renderQualityScore === null) return null;
  return (
    playback *
    (WEIGHTS.stability * stabilityScore + WEIGHTS.render * renderQualityScore + WEIGHTS.startup * startupScore)
  );
}
