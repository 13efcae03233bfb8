import { setTimeout as sleep } from "node:timers/promises";
import type { Media, Sluice } from "../../index.ts";
import type { paths } from "../../api/api-types.ts";
import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { defineCommand } from "../terminal/command.ts";
import { flag, text, type Values } from "../terminal/command-line.ts";
import { createReporter, type Reporter } from "../terminal/reporter.ts";
import { durationText } from "../terminal/units.ts";
import { CommandError } from "../terminal/usage-error.ts";
import { spokenTag } from "./spoken-tag.ts";
import { editText } from "./edit-text.ts";

const POLL_MS = 1000;

type Generated = Media["generatedSubtitles"][number];

type Language = NonNullable<
  paths["/v1/on-demand/{mediaId}/tracks/{trackId}/generate-subtitles"]["post"]["requestBody"]
>["content"]["application/json"]["languageCode"];

const OPTIONS = {
  language: text("CODE", "what is spoken, such as en-US or de (en-US)"),
  name: text("NAME", "what players show (the language's name in English)"),
  sound: text("TRACK", "the id of the audio track (the first one)"),
  edit: flag("opens the text in $VISUAL or $EDITOR, checks it and saves it"),
  json: flag("prints each step as one line of JSON"),
};

interface Asked {
  language: string;
  name: string;
  sound: string | undefined;
}

/** Captions that are there are not made again, unless another sound or name is asked for: the platform says then what stands in the way. */
async function run(
  { language: spoken = "en-US", name, sound, edit, json }: Values<typeof OPTIONS>,
  mediaId: string,
): Promise<number> {
  const sluice = await openSession();
  const reporter = createReporter(json);
  const media = await readMedia(sluice, mediaId);
  const language = spokenTag(spoken);
  const asked = { language, name: name ?? nameOf(language), sound };
  const there = media.generatedSubtitles.find(
    (one) =>
      one.status !== "failed" &&
      primaryOf(one.languageCode ?? "") === primaryOf(language) &&
      sound === undefined &&
      (name === undefined || name.toLowerCase() === one.languageName?.toLowerCase()),
  );
  if (there === undefined && name === undefined) requireFreeName(media, asked.name);
  const trackId = there?.id ?? (await order(sluice, media, asked));
  const made = await untilMade(sluice, { mediaId, trackId }, reporter);
  reporter.say({ kind: "captions", trackId, ...made }, (screen) => {
    if (made.url !== undefined) screen.links([["WebVTT", made.url]]);
  });
  if (edit) await editText(sluice, { mediaId, trackId }, reporter);
  return 0;
}

const readMedia = async (sluice: Sluice, mediaId: string): Promise<Media> =>
  (await sluice.get("/v1/on-demand/{mediaId}", { params: { path: { mediaId } } })).data;

const primaryOf = (languageCode: string): string => languageCode.split("-")[0]!.toLowerCase();

const nameOf = (language: string): string => {
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(primaryOf(language)) ?? "Captions";
  } catch {
    return "Captions"; // the platform names the mistake
  }
};

/** @throws {CommandError} when other subtitles have the name that captions get by default */
function requireFreeName({ tracks }: Media, name: string): void {
  const isTaken = tracks.some(
    ({ type, languageName, status }) => type === "subtitle" && languageName === name && status !== "failed",
  );
  if (isTaken)
    throw new CommandError(`The media has subtitles that are named ${name}: give these another name with --name.`);
}

/** @throws {CommandError} for a media without sound */
async function order(sluice: Sluice, media: Media, { language, name, sound }: Asked): Promise<string> {
  const soundId = sound ?? media.tracks.find(({ type }) => type === "audio")?.id;
  if (soundId === undefined) throw new CommandError(`The media ${media.id} has no sound${waiting(media)}.`);
  const { data } = await sluice.post("/v1/on-demand/{mediaId}/tracks/{trackId}/generate-subtitles", {
    params: { path: { mediaId: media.id, trackId: soundId } },
    body: { languageCode: language as Language, languageName: name }, // the platform checks it
  });
  return data.id;
}

const waiting = ({ status }: Media): string => (status === "Ready" ? "" : " yet: it is not ready");

/** @throws {CommandError} when the captions cannot be made, or are deleted */
async function untilMade(
  sluice: Sluice,
  { mediaId, trackId }: { mediaId: string; trackId: string },
  reporter: Reporter,
): Promise<Generated> {
  const startedAt = performance.now();
  for (let shown = -1; ; await sleep(POLL_MS)) {
    const media = await readMedia(sluice, mediaId);
    const made = media.generatedSubtitles.find(({ id }) => id === trackId);
    const track = media.tracks.find(({ id }) => id === trackId);
    if (made === undefined || track === undefined) throw new CommandError("The captions were deleted meanwhile.");
    if (made.status === "available") {
      const afterMs = Math.round(performance.now() - startedAt);
      const { engine = "", model = "" } = made.result ?? {};
      reporter.say({ kind: "made", afterMs, engine, model }, (screen) =>
        screen.step("Captions made", durationText(afterMs), [engine, model].filter((word) => word !== "").join(" ")),
      );
      return made;
    }
    if (made.status === "failed") throw new CommandError(track.error?.message ?? "The captions could not be made.");
    const { percent = 0 } = made;
    if (percent === shown) continue;
    shown = percent;
    reporter.say({ kind: "progress", percent }, (screen) => screen.bars([{ name: "captions", percent, note: "" }]));
  }
}

export const captions = defineCommand({
  name: "captions",
  summary: "makes captions of what is spoken in a media",
  argument: "MEDIA",
  about:
    "Makes captions of what is spoken in a media, and shows where they are. With --edit it opens the text in an editor, has it checked and saves it.",
  options: OPTIONS,
  notes: CREDENTIALS_HELP,
  run,
});
