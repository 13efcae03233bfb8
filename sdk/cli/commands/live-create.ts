import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { defineCommand } from "../terminal/command.ts";
import { flag, oneOf, repeatedText, type Values } from "../terminal/command-line.ts";
import { createReporter } from "../terminal/reporter.ts";
import { UsageError } from "../terminal/usage-error.ts";

const OPTIONS = {
  private: flag("playback needs a token"),
  dvr: flag("viewers may go back to the beginning"),
  latency: oneOf("MODE", ["low", "standard"], "low (LL-HLS, the default) or standard"),
  resolution: oneOf("LABEL", ["1080p", "720p", "480p"], "the largest rendition: 1080p (the default), 720p or 480p"),
  metadata: repeatedText("KEY=VALUE", "may be repeated"),
  json: flag("prints one JSON object"),
};

async function run(values: Values<typeof OPTIONS>): Promise<number> {
  const { latency: latencyMode, resolution: maxResolution } = values;
  const metadata = readMetadata(values.metadata);
  const sluice = await openSession();
  const { data } = await sluice.post("/v1/live/streams", {
    body: {
      ...(values.private ? { playbackSettings: { accessPolicy: "private" as const } } : {}),
      inputMediaSettings: {
        enableDvrMode: values.dvr,
        ...(latencyMode && { latencyMode }),
        ...(maxResolution && { maxResolution }),
        ...(metadata && { metadata }),
      },
    },
  });
  const { streamId, ingest, playbackIds } = data;
  const playbackId = playbackIds[0]!.id;
  const urls = sluice.playbackUrls(playbackId);
  createReporter(values.json).say({ kind: "stream", streamId, playbackId, ingest, ...urls }, (screen) => {
    screen.title(`Stream ${streamId}`);
    screen.text("Broadcast to one of these addresses. They contain the stream's key: keep them secret.");
    screen.links(Object.entries(ingest).map(([name, url]) => [name.toUpperCase(), url]));
    screen.text(values.private ? "Watch with ?token=… (a private stream):" : "Watch:");
    screen.links([
      ["Player", urls.player],
      ["HLS", urls.hls],
      ["DASH", urls.dash],
    ]);
  });
  return 0;
}

/** @throws {UsageError} */
function readMetadata(pairs: readonly string[]): Record<string, string> | undefined {
  const broken = pairs.find((pair) => !/^[^=]+=/.test(pair));
  if (broken !== undefined) throw new UsageError(`--metadata is "${broken}"; it must be KEY=VALUE.`);
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

export const liveCreate = defineCommand({
  name: "live create",
  summary: "creates a live stream",
  about:
    "Creates a live stream, and prints where to broadcast to and where to watch. Whoever has an ingest address can broadcast.",
  options: OPTIONS,
  notes: CREDENTIALS_HELP,
  run,
});
