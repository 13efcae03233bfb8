/** `npm run bench [-- name …]`: the figures of merit, each with its yardstick from the same run. Stored as JSON in bench/results/. */
import { installTestDependencies } from "../scripts/test-dependencies.ts";
import { type Figure, keepFigures, printFigures } from "./support/figures.ts";

const BENCHES: Record<string, { title: string; load: () => Promise<{ run: () => Promise<Figure[]> }> }> = {
  "first-segment": { title: "Time from POST to the first decodable segment", load: () => import("./first-segment.ts") },
  ladder: { title: "The whole ladder of a minute of 1080p", load: () => import("./ladder.ts") },
  joins: { title: "Three clips joined into one ladder", load: () => import("./joins.ts") },
  "live-ladder": { title: "CPU of a live ladder", load: () => import("./live-ladder.ts") },
  "live-ladder-delay": { title: "What the live encoder adds", load: () => import("./live-ladder-delay.ts") },
  clips: { title: "A clip of ten seconds out of a long media", load: () => import("./clips.ts") },
  captions: { title: "Captions of what is spoken", load: () => import("./captions.ts") },
  moderation: { title: "Pictures for moderation", load: () => import("./moderation.ts") },
  texts: { title: "Summaries, chapters and names without a model", load: () => import("./texts.ts") },
  quality: { title: "Quality beside a single pass at the same settings", load: () => import("./quality.ts") },
  requests: { title: "Requests a second", load: () => import("./requests.ts") },
  tracks: { title: "Subtitle tracks", load: () => import("./tracks.ts") },
  lists: { title: "Lists of very many media", load: () => import("./lists.ts") },
  private: { title: "Private playback a second", load: () => import("./private.ts") },
  encrypted: { title: "Encrypted segments a second", load: () => import("./encrypted.ts") },
  images: { title: "Pictures", load: () => import("./images.ts") },
  upload: { title: "Uploads", load: () => import("./upload.ts") },
  webhooks: { title: "Webhooks", load: () => import("./webhooks.ts") },
  "webhooks-soak": { title: "Webhooks in faults and kills", load: () => import("./webhooks-soak.ts") },
  "live-latency": { title: "Live: from capture to display", load: () => import("./live-latency.ts") },
  "live-phases": { title: "Live: joined at every phase of a segment", load: () => import("./live-phases.ts") },
  "live-noise": { title: "Live: play through a bad network", load: () => import("./live-noise.ts") },
  "live-start": { title: "Live: from the first byte to the first picture", load: () => import("./live-start.ts") },
  "live-viewers": { title: "Live: 500 viewers at the edge", load: () => import("./live-viewers.ts") },
  "container-units": {
    title: "Live: finding the units of a pushed broadcast",
    load: () => import("./container-units.ts"),
  },
  "video-data": { title: "Video data: how true a view is", load: () => import("./video-data.ts") },
  beacons: { title: "Video data: beacons a second", load: () => import("./beacons.ts") },
  questions: { title: "Video data: questions about a million views", load: () => import("./questions.ts") },
  search: { title: "Search among a million captions", load: () => import("./search.ts") },
  engines: { title: "Video data: both engines answer the same", load: () => import("./engines.ts") },
  "beacons-soak": { title: "Video data: beacons in kills", load: () => import("./beacons-soak.ts") },
  "imports-soak": { title: "Migrations in faults and kills", load: () => import("./imports-soak.ts") },
  imports: { title: "Migrations", load: () => import("./imports.ts") },
  memory: { title: "Memory", load: () => import("./memory.ts") },
};

const asked = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));
const unknown = asked.filter((name) => !(name in BENCHES));
if (process.argv.includes("--help") || unknown.length > 0) {
  if (unknown.length > 0) console.error(`Unknown: ${unknown.join(", ")}.`);
  console.log(`npm run bench [-- name …]; names: ${Object.keys(BENCHES).join(", ")}
BENCH_ROUNDS (2)          rounds of ladder, joins and live-ladder
BENCH_SECONDS (60)        length of the 1080p source of ladder, quality and memory
BENCH_HOURS (12)          length of the sound of captions
BENCH_PICTURE_HOURS (3)   length of the long film of moderation
BENCH_CLIP_SECONDS (600)  length of the media of clips
BENCH_ROUND_MS (2000)     length of one round of requests
BENCH_ASSETS (1000000)    media of the large workspace of lists
BENCH_SOURCE_BYTES (5e9)  size of the source of memory
BENCH_UPLOAD_BYTES (1e9)  size of the file of upload
BENCH_LIVE_SECONDS (60)   watched in each case of live-latency
BENCH_NOISE_SECONDS (300) played in live-noise
BENCH_IMPORTED (600)      media of a round of imports
BENCH_MIGRATED (3000)     videos of imports-soak
BENCH_PICTURES (40)       first views of images
BENCH_VIEWS               views of questions (1000000) and of engines (100000)
BENCH_CAPTIONS (1000000)  captions of search
BENCH_FILTERED (120)      questions of engines
BENCH_PLAYS (20)          plays of video-data
BENCH_LIVE_CASES          part of the names of the cases of live-latency
SOAK_SEED                 repeats the faults and pauses of a run of webhooks-soak`);
  process.exit(unknown.length > 0 ? 1 : 0);
}
await installTestDependencies();
let missed = 0;
for (const [name, { title, load }] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const { run } = await load();
  const figures = await run();
  printFigures(title, figures);
  await keepFigures(name, figures);
  missed += figures.filter(({ isMet }) => isMet === false).length;
}
console.log(missed === 0 ? "\nEvery aim is met." : `\n${missed} aims are missed.`);
// The bindings of libav, which some benches decode with, can keep a process alive that has nothing left to do.
process.exit(0);
