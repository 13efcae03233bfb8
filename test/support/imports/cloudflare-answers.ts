/** Answers in Cloudflare's envelope: https://developers.cloudflare.com/api/resources/stream, read in November 2026. */
import type { StandInVideo } from "./stand-in-library.ts";
import type { StandInAnswer } from "./stand-in.ts";

export const NOT_FOUND = refusal(404, 10003, "Not Found: The requested video was not found");

export function captionsOf(video: StandInVideo, language?: string, form?: string): StandInAnswer {
  if (language === undefined) {
    const listed = video.captions.map((caption) => ({
      language: caption.languageCode,
      label: caption.name,
      generated: false,
      status: "ready",
    }));
    return result(listed);
  }
  const caption = video.captions.find(({ languageCode }) => languageCode === decodeURIComponent(language));
  if (caption === undefined || form !== "vtt") return NOT_FOUND;
  return { status: 200, text: caption.text, contentType: "text/vtt" };
}

export function additionalAudio({ audioTracks, id }: StandInVideo) {
  return Array.from({ length: audioTracks - 1 }, (_, index) => ({
    uid: id.replace(/^./, String(index)),
    label: `Track ${index + 2}`,
    default: false,
    status: "ready",
  }));
}

export function result(value: unknown): StandInAnswer {
  return { status: 200, json: { result: value, success: true, errors: [], messages: [] } };
}

export function refusal(
  status: number,
  code: number,
  message: string,
  chained?: number,
): StandInAnswer & { json: unknown } {
  const chain =
    chained === undefined
      ? {}
      : { error_chain: [{ code: chained, message: "Invalid format for Authorization header" }] };
  return { status, json: { result: null, success: false, errors: [{ code, message, ...chain }], messages: [] } };
}
