import { CREDENTIALS_HELP, openSession } from "../session/open-session.ts";
import { type Command, oneOf, readArguments } from "../terminal/arguments.ts";
import { createReporter } from "../terminal/reporter.ts";
import { UsageError } from "../terminal/usage-error.ts";

const USAGE = `sluice live create [--private] [--dvr] [--latency low|standard] [--resolution 1080p|720p|480p] [--metadata KEY=VALUE]

Creates a live stream, and prints where to broadcast to and where to watch. Whoever has an ingest address can broadcast.

  --private              playback needs a token
  --dvr                  viewers may go back to the beginning
  --latency MODE         low (LL-HLS, the default) or standard
  --resolution LABEL     the largest rendition (1080p)
  --metadata KEY=VALUE   may be repeated
  --json                 prints one JSON object

${CREDENTIALS_HELP}`;

async function run(args: readonly string[]): Promise<number> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = readArguments(args, {
    private: flag,
    dvr: flag,
    latency: text,
    resolution: text,
    metadata: { type: "string", multiple: true, default: [] },
    json: flag,
  });
  const latencyMode = oneOf("--latency", values.latency, ["low", "standard"]);
  const maxResolution = oneOf("--resolution", values.resolution, ["1080p", "720p", "480p"]);
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

export const liveCreate: Command = { summary: "creates a live stream", usage: USAGE, run };
