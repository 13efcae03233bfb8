import { basename } from "node:path";
import { Readable } from "node:stream";
import type { CreatedUpload, Sluice, UploadFile, UploadProgress } from "../../index.ts";
import { openFile } from "../../node.ts";
import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { defineCommand } from "../terminal/command.ts";
import { flag, oneOf, text, type Values } from "../terminal/command-line.ts";
import { INTERRUPTED, interruptSignal } from "../terminal/interrupt.ts";
import { createReporter, type Reporter } from "../terminal/reporter.ts";
import { durationText, plain, sizeText } from "../terminal/units.ts";
import { CommandError, UsageError } from "../terminal/usage-error.ts";
import { type CreatedMedia, Watch } from "./watch.ts";

const ABOUT = `Uploads a file in chunks, and repeats after failures of the network; or has the platform fetch a URL. FILE may be - for the standard
input. Ctrl-C cancels the upload.`;

const OPTIONS = {
  watch: flag("waits until the media plays and is ready, and shows the progress"),
  title: text("TEXT", "the title; default: the file's name"),
  private: flag("playback needs a token"),
  resolution: oneOf(
    "LABEL",
    ["2160p", "1440p", "1080p", "720p", "480p"],
    "the largest rendition: 2160p, 1440p, 1080p (the default), 720p or 480p",
  ),
  json: flag("prints one JSON object per line"),
};

async function run(values: Values<typeof OPTIONS>, given: string): Promise<number> {
  const maxResolution = values.resolution;
  if (given === "") throw new UsageError("FILE or URL is empty.");
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  const isUrl = scheme === "http" || scheme === "https";
  if (scheme !== undefined && !isUrl) throw new UsageError(`Only http and https URLs can be fetched, not ${given}.`);
  const settings = {
    accessPolicy: values.private ? ("private" as const) : ("public" as const),
    title: values.title ?? titleOf(given),
    ...(maxResolution && { maxResolution }),
  };
  const reporter = createReporter(values.json);
  const signal = interruptSignal();
  const sluice = await openSession();
  const watch = new Watch(sluice, reporter, { isPrivate: values.private, signal });
  const begin = ({ mediaId, playbackId }: CreatedMedia) => {
    reporter.say({ kind: "created", mediaId, playbackId }, (screen) => {
      screen.title(`Sluice · ${plain(settings.title)}`);
      screen.step("Created", "", `media ${mediaId}`);
    });
    watch.begin({ mediaId, playbackId }, values.watch);
  };
  try {
    if (isUrl) {
      const body = { inputs: [{ type: "video" as const, url: given }], ...settings };
      const { data, playback_id: playbackId } = await sluice.post("/v1/on-demand", { body });
      begin({ mediaId: data.id, playbackId });
    } else {
      await send(sluice, given, { settings, signal, reporter, onCreated: begin });
    }
    if (values.watch) await watch.untilReady();
    watch.printLinks();
    if (!values.watch && !reporter.isJson)
      reporter.screen.text(
        "The media is still being processed; the player page starts by itself. --watch waits for it.",
      );
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!reporter.isJson) reporter.screen.text("Stopped.");
    return INTERRUPTED;
  } finally {
    watch.stop();
  }
}

/** The name of a file, or of the last part of a URL. */
function titleOf(given: string): string {
  if (given === "-") return "Standard input";
  const path = URL.canParse(given) ? new URL(given).pathname : given;
  return plain(basename(path) || given); // the API refuses control characters
}

interface Sending {
  settings: { title: string; accessPolicy: "public" | "private" };
  signal: AbortSignal;
  reporter: Reporter;
  onCreated: (upload: CreatedUpload) => void;
}

/** Uploads a file. An upload that fails or is interrupted is cancelled, so that it leaves nothing behind. */
async function send(sluice: Sluice, path: string, { settings, signal, reporter, onCreated }: Sending): Promise<void> {
  await using source = await openSource(path);
  const startedAt = performance.now();
  let upload: CreatedUpload | undefined;
  let sentBytes = 0;
  const onProgress = (progress: UploadProgress) => {
    ({ sentBytes } = progress);
    reporter.say({ kind: "sent", ...progress }, (screen) => showSent(screen, progress, performance.now() - startedAt));
  };
  try {
    await sluice.upload(source.file, {
      settings,
      signal,
      onProgress,
      onCreated: (one) => {
        upload = one;
        onCreated(one);
      },
    });
  } catch (error) {
    if (upload !== undefined) await cancel(sluice, upload.mediaId);
    throw error;
  }
  const tookMs = Math.round(performance.now() - startedAt);
  reporter.say({ kind: "uploaded", bytes: sentBytes, tookMs }, (screen) =>
    screen.step("Uploaded", durationText(tookMs), sizeText(sentBytes)),
  );
}

function showSent(screen: Reporter["screen"], { sentBytes, totalBytes }: UploadProgress, elapsedMs: number): void {
  if (totalBytes === null || sentBytes === 0) return;
  const speed = sizeText((sentBytes / Math.max(elapsedMs, 1)) * 1000);
  const note = `${sizeText(sentBytes)} of ${sizeText(totalBytes)} · ${speed}/s`;
  screen.bars([{ name: "upload", percent: (sentBytes / totalBytes) * 100, note }]);
}

/** The platform deletes a waiting upload anyway after a day. */
const cancel = (sluice: Sluice, uploadId: string): Promise<unknown> =>
  sluice.put("/v1/on-demand/upload/{uploadId}/cancel", { params: { path: { uploadId } } }).catch(() => undefined);

/** @throws {CommandError} for a file that cannot be uploaded */
async function openSource(path: string): Promise<{ file: UploadFile } & AsyncDisposable> {
  if (path === "-") {
    const file = Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>;
    return { file, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const file = await openFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      PROBLEMS[error.code ?? ""]?.(path) ?? `The file ${path} cannot be opened: ${error.message}.`,
    );
  });
  if (file.sizeBytes > 0) return { file, [Symbol.asyncDispose]: () => file.close() };
  await file.close();
  throw new CommandError(`The file ${path} is empty.`);
}

const PROBLEMS: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no file ${path}.`,
  EISDIR: (path) => `The path ${path} is a folder; give a file.`,
  EACCES: (path) => `The file ${path} may not be read.`,
};

export const upload = defineCommand({
  name: "upload",
  summary: "uploads a file, or has the platform fetch a URL",
  argument: "FILE|URL",
  about: ABOUT,
  options: OPTIONS,
  notes: CREDENTIALS_HELP,
  run,
});
