import { styleText } from "node:util";
import { plain } from "../terminal/units.ts";
import type { Arrival, WebhookEvent } from "./receiver.ts";

/** An arrival as one JSON object. @param withBody includes the whole event */
export function toMoment(arrival: Arrival, withBody: boolean): object {
  const at = arrival.at.toISOString();
  if (arrival.kind !== "event") return { ...arrival, at };
  const { answered, event, verified, isRepeat, isAltered } = arrival;
  return {
    kind: "event",
    at,
    answered,
    type: event.type,
    objectId: event.object.id,
    eventId: event.event_id,
    status: event.status,
    verified,
    isRepeat,
    ...(isAltered ? { isAltered } : {}),
    afterChangeMs: afterChangeMs(arrival.at, event),
    ...(withBody ? { event } : {}),
  };
}

/** Milliseconds from an event's change to its arrival. Exact only when the platform runs on this machine. */
export function afterChangeMs(at: Date, { createdAt }: WebhookEvent): number {
  return at.getTime() - Date.parse(createdAt);
}

/** An arrival as text: one line, and for an event a second one with its main values. */
export function toLines(arrival: Arrival, withBody: boolean): string {
  const time = styleText("dim", clock(arrival.at));
  if (arrival.kind === "check") return `  ${time}  ${styleText("green", "✓")} checked whether this receiver answers`;
  if (arrival.kind === "refused") {
    const why = `${arrival.answered}, refused: ${plain(arrival.why)}`;
    return `  ${time}  ${styleText("red", "✗")} ${why}`;
  }
  const { event, isRepeat, isAltered } = arrival;
  const name = styleText("bold", plain(event.type).padEnd(28));
  const head = `  ${time}  ${mark(arrival)} ${name} ${plain(event.status).padEnd(14)} ${styleText("dim", plain(event.object.id))}`;
  if (isRepeat)
    return `${head}\n${indented(isAltered ? "dropped: the same id with OTHER BYTES" : "dropped: it has come before")}`;
  const detail = [...highlightsOf(event.data), `${afterChangeMs(arrival.at, event)} ms after the change`].join(" · ");
  return `${head}\n${indented(detail)}${withBody ? `\n${body(event)}` : ""}`;
}

const INDENT = " ".repeat(18);
const indented = (text: string) => `${INDENT}${styleText("dim", text)}`;
const body = (event: WebhookEvent) => JSON.stringify(event, null, 2).replace(/^/gm, INDENT);

function mark({ verified, isRepeat }: { verified: true | null; isRepeat: boolean }): string {
  if (verified === null) return styleText("yellow", "?");
  return isRepeat ? styleText("yellow", "=") : styleText("green", "✓");
}

/** Local time of day, `12:50:15.662`. */
function clock(at: Date): string {
  const pad = (value: number, width = 2) => String(value).padStart(width, "0");
  return `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}.${pad(at.getMilliseconds(), 3)}`;
}

/** The main values in an event's data. */
export function highlightsOf(data: Record<string, unknown>): string[] {
  const playback = list(data.playbackIds)[0]?.id;
  const error = (data.error ?? data.lastFailure) as { code?: string; reason?: string; message?: string } | undefined;
  const video = list(data.tracks).find((track) => track.type === "video");
  const found = [
    data.title,
    typeof data.url === "string" && data.url.split("?")[0], // the query of an upload's URL is its signature
    data.eventType,
    typeof video?.width === "number" && `${video.width}×${Number(video.height)}`,
    data.duration,
    data.status,
    typeof data.reason === "string" ? data.reason : undefined,
    error && `${error.code ?? error.reason ?? "error"}: ${error.message ?? ""}`,
    typeof playback === "string" && `playback ${playback}`,
  ];
  return found.filter((one): one is string => typeof one === "string" && one !== "").map(plain);
}

const list = (value: unknown) => (Array.isArray(value) ? (value as Record<string, unknown>[]) : []);
