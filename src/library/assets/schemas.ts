import { z } from "@hono/zod-openapi";
import { PlaybackIdRecord, TrackRecord } from "../../events/index.ts";
import { LATER, later, Metadata } from "../../platform/http/fields.ts";
import { validationProblem } from "../../platform/http/router.ts";
import { checkPublicUrl } from "../../platform/network/public-url.ts";

const shortText = z.string().max(255);

const VideoInput = z.looseObject({
  type: z.literal("video"),
  url: z.string().min(1).openapi({
    description: "http or https, reachable from the internet, at most 2,048 characters",
    example: "https://example.com/film.mp4",
  }),
  startTime: z
    .number()
    .min(0)
    .max(43_200)
    .optional()
    .openapi({ description: "Seconds into the source where the media starts" }),
  endTime: z
    .number()
    .positive()
    .max(43_200)
    .optional()
    .openapi({ description: "Seconds into the source where the media ends" }),
  introUrl: later(),
  outroUrl: later(),
  expungeSegments: later(),
  segments: later(),
});

const LATER_TYPES = new Set(["watermark", "audio", "subtitle"]);

export const CreateAsset = z
  .looseObject({
    inputs: z
      .array(z.looseObject({ type: z.string() }))
      .min(1)
      .openapi({
        type: "array",
        description: "One `video` input",
        items: { type: "object", required: ["type", "url"] },
      }),
    accessPolicy: z
      .enum(["public", "private", "drm"])
      .refine((policy) => policy === "public", LATER)
      .openapi({ example: "public" }),
    title: shortText.optional(),
    creatorId: shortText.optional(),
    metadata: Metadata.optional(),
    maxResolution: z.enum(["2160p", "1440p", "1080p", "720p", "480p"]).default("1080p"),
    mediaQuality: z.enum(["standard", "pro", "premium"]).default("standard"),
    mp4Support: later(),
    sourceAccess: later(),
    optimizeAudio: later(),
    drmConfigurationId: later(),
    subtitles: later(),
    summary: later(),
    chapters: later(),
    namedEntities: later(),
    moderation: later(),
    accessRestrictions: later(),
  })
  .openapi("CreateMedia");
export type CreateAsset = z.infer<typeof CreateAsset>;

export interface SourceInput {
  url: string;
  clipStartMs: number;
  clipEndMs: number | null;
}

/** Checks each input by its type, and its URL against the networks that this deployment may reach. */
function checkInputs(
  inputs: CreateAsset["inputs"],
  allowPrivateNetwork: boolean,
): { source: SourceInput } | { issues: z.core.$ZodIssue[] } {
  const issues: z.core.$ZodIssue[] = [];
  const refuse = (path: PropertyKey[], message: string) =>
    issues.push({ code: "custom", path: ["inputs", ...path], message, input: undefined });
  let source: SourceInput | null = null;
  for (const [position, input] of inputs.entries()) {
    if (LATER_TYPES.has(input.type)) {
      refuse([position, "type"], LATER);
      continue;
    }
    const parsed = VideoInput.safeParse(input);
    if (!parsed.success) {
      issues.push(...parsed.error.issues.map((issue) => ({ ...issue, path: ["inputs", position, ...issue.path] })));
      continue;
    }
    const { url, startTime = 0, endTime } = parsed.data;
    const checked = checkPublicUrl(url, allowPrivateNetwork);
    if (/^[a-z]+_mediaId:\/\//i.test(url)) refuse([position, "url"], LATER);
    else if (!checked.ok) refuse([position, "url"], checked.message);
    else if (endTime !== undefined && endTime <= startTime) refuse([position, "endTime"], "is invalid");
    else if (source !== null) refuse([position], LATER);
    else
      source = {
        url: checked.url.href,
        clipStartMs: Math.round(startTime * 1000),
        clipEndMs: endTime === undefined ? null : Math.round(endTime * 1000),
      };
  }
  if (issues.length > 0 || source === null) return { issues };
  return { source };
}

/** @throws {Problem} validation_failed */
export function requireInputs(body: CreateAsset, allowPrivateNetwork: boolean): SourceInput {
  const checked = checkInputs(body.inputs, allowPrivateNetwork);
  if ("issues" in checked) throw validationProblem(checked, body);
  return checked.source;
}

/** Issues of the inputs of a body that is already invalid, so that one response reports every offending field. */
export function inputIssues(body: unknown, allowPrivateNetwork: boolean): z.core.$ZodIssue[] {
  const inputs = CreateAsset.shape.inputs.safeParse((body as { inputs?: unknown } | null)?.inputs);
  if (!inputs.success) return [];
  const checked = checkInputs(inputs.data, allowPrivateNetwork);
  return "issues" in checked ? checked.issues : [];
}

export const UpdateAsset = z
  .looseObject({ title: shortText.optional(), creatorId: shortText.optional(), metadata: Metadata.optional() })
  .openapi("UpdateMedia", { description: "`metadata` is replaced as a whole" });
export type UpdateAsset = z.infer<typeof UpdateAsset>;

export const CreatedMedia = z
  .object({
    id: z.uuid(),
    trial: z.boolean(),
    status: z.literal("Created"),
    createdAt: z.string(),
    updatedAt: z.string(),
    playbackIds: z.array(PlaybackIdRecord),
    metadata: z.record(z.string(), z.string()),
    title: z.string().optional(),
    creatorId: z.string().optional(),
    mediaQuality: z.string(),
    sourceAccess: z.boolean(),
    maxResolution: z.string(),
    inputs: z.array(z.object({ type: z.string(), url: z.string() })),
    optimizeAudio: z.boolean(),
  })
  .openapi("CreatedMedia");

export const InputInfo = z
  .object({
    configuration: z.object({ url: z.string() }),
    file: z.object({ containerFormat: z.string().optional(), tracks: z.array(TrackRecord) }),
  })
  .openapi("InputInfo");
