import { presentationOf } from "../media/manifest/model.ts";
import type { LiveVariant } from "../media/live/multivariant.ts";
import { readSelection, select, type Selection, selectRungs } from "../media/manifest/selection.ts";
import type { AccessRules } from "../tenancy/access/index.ts";
import type { Playable } from "./resolve.ts";

/** The rungs that the query asks for, within what the playback ID offers. @throws {Problem} validation_failed */
export function selectionOf(query: URLSearchParams, { resolution }: Pick<AccessRules, "resolution">): Selection {
  const selection = readSelection(query);
  if (resolution === null) return selection;
  const capPx = Number.parseInt(resolution, 10);
  const { minPx, maxPx } = selection;
  return {
    ...selection,
    minPx: minPx === null ? null : Math.min(minPx, capPx),
    maxPx: Math.min(maxPx ?? capPx, capPx),
  };
}

/** Whether the playback ID offers a rendition of its asset. Audio is never limited; without a rung below the limit, the smallest one is offered. */
export function offersRendition(
  { playable, rules }: { playable: Playable; rules: AccessRules },
  name: string,
): boolean {
  if (rules.resolution === null) return true;
  const presentation = presentationOf(playable);
  if (presentation === null) return false;
  const { videoSets, audio } = select(presentation, selectionOf(new URLSearchParams(), rules));
  return [...videoSets.flat(), ...audio].some((rendition) => rendition.name === name);
}

/** The same of a broadcast. @param variants as it was planned, or as it is offered now: a rung may have been dropped */
export function offersVariant(
  variants: Pick<LiveVariant, "name" | "kind" | "widthPx" | "heightPx">[],
  rules: AccessRules,
  name: string,
): boolean {
  if (rules.resolution === null) return true;
  const [video, audio] = [
    variants.filter(({ kind }) => kind === "video"),
    variants.filter(({ kind }) => kind === "audio"),
  ];
  const offered = [...selectRungs(video, selectionOf(new URLSearchParams(), rules)), ...audio];
  return offered.some((variant) => variant.name === name);
}
