/** The `watermark` input of a media (media contract, inputs). */
import { z } from "@hono/zod-openapi";
import { MARK_LENGTH, MARK_OPACITY, markLength, type RequestedMark } from "../../media/edits/watermark.ts";
import { checkPublicUrl, urlHint } from "../../platform/network/public-url.ts";

const words = "a length such as `25%` or `40px`";
const length = (description: string) => z.string().regex(MARK_LENGTH, words).openapi({ description, example: "25%" });

export const WatermarkInput = z
  .object({
    type: z.literal("watermark"),
    url: z.string().min(1).openapi({
      description: "PNG or JPEG, at most 10 MiB and 16 megapixels; as the URL of a video",
      example: "https://example.com/logo.png",
    }),
    placement: z
      .object({
        xAlign: z.enum(["left", "center", "right"]).default("right"),
        xMargin: length("From the side that `xAlign` names").default("3%"),
        yAlign: z.enum(["top", "middle", "bottom"]).default("bottom"),
        yMargin: length("From the side that `yAlign` names").default("3%"),
      })
      .prefault({}),
    width: length("Default: as `height` and the shape of the image say, or that of the image").optional(),
    height: length("Default: as `width` and the shape of the image say, or that of the image").optional(),
    opacity: z
      .string()
      .regex(MARK_OPACITY, "a share such as `80%`")
      .optional()
      .openapi({ description: "Default: `100%`", example: "80%" }),
  })
  .openapi("WatermarkInput");
type WatermarkInput = z.infer<typeof WatermarkInput>;

/** Notes a field of the inputs that is refused. */
type Refuse = (path: PropertyKey[], message: string, hint?: string) => void;

/** @param refuse takes paths within the list of inputs @returns null = there is none */
export function readWatermark(
  inputs: readonly (WatermarkInput | { type: "video" | "audio" | "subtitle" })[],
  allowPrivateNetwork: boolean,
  refuse: Refuse,
): RequestedMark | null {
  let found: RequestedMark | null = null;
  for (const [position, input] of inputs.entries()) {
    if (input.type !== "watermark") continue;
    const { url, placement, width, height, opacity } = input;
    const file = checkPublicUrl(url, allowPrivateNetwork);
    if (!file.ok) refuse([position, "url"], file.message, urlHint(file.message));
    if (found !== null) refuse([position], "is invalid", "must be the only `watermark` input");
    for (const field of ["width", "height"] as const)
      if (input[field] !== undefined && markLength(input[field])?.value === 0)
        refuse([position, field], "is invalid", "must be greater than 0");
    found = {
      id: crypto.randomUUID(),
      url: file.ok ? file.url.href : "",
      path: `inputs[${position}]`,
      placement,
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      ...(opacity === undefined ? {} : { opacity }),
    };
  }
  return found;
}
