import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { Position } from "./records.ts";
import { SAMPLE } from "./samples.ts";
import { AddedTrack } from "../../records/added-track.ts";
import { Score } from "../../records/fields.ts";
import { sampleSubtitle } from "./tracks.ts";

const ai = kindsOf("ai", "media");

const ModerationScores = z.array(z.strictObject({ category: z.string(), score: Score }));

/** The output only; `object.id` names its media. */
export const aiKinds = {
  "ai.captions.ready": ai({
    isSent: true,
    videoType: "video.media.subtitle.generated.ready",
    status: "ready",
    when: "Captions in the spoken language were generated.",
    data: AddedTrack,
    example: {
      ...sampleSubtitle("available"),
      url: `https://stream.example.com/${SAMPLE.playbackId}/text/${SAMPLE.subtitleTrackId}.vtt`,
    },
  }),
  "video.mediaAI.summary.ready": ai({
    isSent: true,
    status: "ready",
    when: "The summary of a media was generated.",
    data: z.strictObject({ isSummaryGenerated: z.boolean(), summary: z.string() }),
    example: { isSummaryGenerated: true, summary: "Fishing boats leave a small harbour before the sun is up." },
  }),
  "video.mediaAI.chapters.ready": ai({
    isSent: true,
    status: "ready",
    when: "A media was divided into chapters.",
    data: z.strictObject({
      isChaptersGenerated: z.boolean(),
      chapters: z.array(
        z.strictObject({
          chapter: z.string(),
          startTime: Position,
          endTime: Position,
          title: z.string(),
          summary: z.string(),
        }),
      ),
    }),
    example: {
      isChaptersGenerated: true,
      chapters: [
        {
          chapter: "1",
          startTime: "00:00:00",
          endTime: "00:00:32",
          title: "Before sunrise",
          summary: "The crews load their boats.",
        },
        {
          chapter: "2",
          startTime: "00:00:32",
          endTime: "00:01:10",
          title: "Out to sea",
          summary: "One boat after the other passes the lighthouse.",
        },
      ],
    },
  }),
  "video.mediaAI.namedEntities.ready": ai({
    isSent: true,
    status: "ready",
    when: "People, organizations and places named in a media were identified.",
    data: z.strictObject({
      isNamedEntitiesGenerated: z.boolean(),
      namedEntities: z.array(z.strictObject({ name: z.string(), category: z.string(), count: z.int().nonnegative() })),
    }),
    example: {
      isNamedEntitiesGenerated: true,
      namedEntities: [{ name: "Camogli", category: "location", count: 3 }],
    },
  }),
  "video.mediaAI.moderation.ready": ai({
    isSent: true,
    status: "ready",
    when: "A media was scored for unwanted content.",
    data: z.strictObject({ isModerationGenerated: z.boolean(), moderationResult: ModerationScores }),
    example: {
      isModerationGenerated: true,
      moderationResult: [
        { category: "violence", score: 0.02 },
        { category: "self-harm", score: 0 },
      ],
    },
  }),
  "ai.moderation.flagged": ai({
    isSent: true,
    status: "flagged",
    when: "A moderation score of a media is above the workspace's threshold; only such scores are listed.",
    data: z.strictObject({ threshold: Score, moderationResult: ModerationScores.min(1) }),
    example: { threshold: 0.5, moderationResult: [{ category: "violence", score: 0.83 }] },
  }),
};
