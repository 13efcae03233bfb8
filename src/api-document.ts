import { API_EXAMPLES } from "./api-examples.ts";
import { withExamples } from "./platform/http/document-examples.ts";
import type { newRouter } from "./platform/http/router.ts";

/** The groups of operations, in the order of the reference. */
const TAGS = [
  { name: "Media", description: "On-demand video: from a URL to a playback ID" },
  { name: "Tracks", description: "Audio and subtitle tracks that are added to a media" },
  { name: "Playback", description: "The playback IDs of a media, and who may play it" },
  { name: "DRM configurations", description: "How encrypted media is licensed" },
  { name: "Licences", description: "What players of encrypted media request, with a playback token" },
  { name: "Uploads", description: "Files sent by browsers, apps and servers: resumable, and playable as they arrive" },
  { name: "Playlist", description: "Lists of media: put together by hand, or by criteria" },
  { name: "Credentials", description: "The access tokens of the API" },
  { name: "Limits", description: "What a workspace may have, and what it uses" },
  { name: "Signing keys", description: "RSA keys that sign playback tokens" },
  { name: "Start live stream", description: "Create a stream, and get its key and the addresses for encoders" },
  { name: "Manage live stream", description: "The state of streams, their recordings and clips" },
  { name: "Live playback", description: "The playback IDs of a stream" },
  { name: "Simulcast stream", description: "Push a broadcast to other platforms too" },
  {
    name: "Imports",
    description: "Whole libraries of other platforms: batches, their sources, and where old links lead",
  },
  { name: "Webhooks", description: "Receivers of events: signed deliveries, with retries and a log" },
  { name: "In-video AI", description: "What is made of speech and pictures: search, usage, budget and settings" },
  { name: "Video data", description: "Who watched what, and how well it played: views, dimensions and metrics" },
  { name: "Events", description: "What happened to media, streams and webhooks in the last 30 days" },
  { name: "Request logs", description: "The requests to this API in the last 30 days" },
];

const LICENSE = { name: "Apache-2.0", identifier: "Apache-2.0" };

type App = ReturnType<typeof newRouter>;

/** To generate a document takes tens of milliseconds, and it changes with a release only. */
const generated = new WeakMap<App, ReturnType<typeof generate>>();

/** @param origin of this deployment */
export function apiDocument(app: App, origin: string) {
  const known = generated.get(app) ?? generate(app);
  generated.set(app, known);
  const contact = { name: "The operator of this deployment", url: origin };
  return { ...known, info: { ...known.info, contact }, servers: [{ url: origin }] };
}

function generate(app: App) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "1",
      description:
        "On-demand video from URLs and uploads, low-latency live, playback and webhooks, on your own Cloudflare account.\n\nFields of requests that have a default may be left out. Generators may need an option for that: `--default-non-nullable false` of openapi-typescript.",
      license: LICENSE,
    },
    tags: TAGS,
  });
  // The generator's types are wider than the documents that it makes.
  return withExamples(document as typeof document & Parameters<typeof withExamples>[0], API_EXAMPLES);
}
