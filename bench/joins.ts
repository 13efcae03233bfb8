/**
 * Wall time and CPU of three clips of different shapes that are joined into one ladder, beside one ffmpeg command that does the same; and of three parts
 * of one recording, whose top rung is copied, beside the same join with that rung encoded.
 */
import { mkdir, open, rm } from "node:fs/promises";
import { planWithPassthrough } from "../src/library/encoding/plan.ts";
import { planMontage } from "../src/library/encoding/plan-montage.ts";
import { jobBody, jobsOf } from "../src/library/encoding/job-spec.ts";
import { type CopyFacts, indexSource } from "../src/media/mp4/index-source.ts";
import { montageOf } from "../src/media/edits/montage.ts";
import { TestEncoder } from "../test/support/encoder.ts";
import { madeFile } from "../test/support/made.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import { ffmpeg, joinCommand, type Run } from "./support/plain-encode.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 2);
const WORK = "test/.media/bench/joins";
const SECONDS = 20;

const clip = (size: string, rate: number, hz: number, filter = ",noise=alls=20:allf=t") =>
  madeFile(
    [
      ...`-f lavfi -i testsrc2=size=${size}:rate=${rate}${filter} -f lavfi -i sine=frequency=${hz}:sample_rate=48000`.split(
        " ",
      ),
      ...`-t ${SECONDS} -c:v libx264 -preset veryfast -g 60 -sc_threshold 0 -pix_fmt yuv420p -c:a aac`.split(" "),
    ],
    "mp4",
  );

/** All jobs of the plan of a join: the chunks one after another, the sound beside them. */
async function join(encoder: TestEncoder, paths: string[], copies: (CopyFacts | null)[] = []): Promise<Run> {
  const video = (url: string) => ({
    url,
    path: url,
    startMs: 0,
    endMs: null,
    introUrl: null,
    outroUrl: null,
    expunged: [],
    insertions: [],
  });
  const startedAt = performance.now();
  const facts = await Promise.all(paths.map((path) => encoder.probe(path)));
  const montage = montageOf([video(paths[0]!), ...paths.slice(1).map(video)]);
  const planned = planMontage(montage!, facts, copies);
  if ("problem" in planned) throw new Error(planned.problem);
  const request = { maxResolution: "1080p", mediaQuality: "standard" } as const;
  const plan = { ...planWithPassthrough(planned.facts, request, null).plan, montage: planned.plan };
  let cpuMs = 0;
  const bodies = jobsOf(plan).map((spec) => jobBody(spec, plan, { startMs: 0, endMs: null }));
  const runAll = async (kind: "audio" | "video") => {
    for (const body of bodies.filter((one) => one.kind === kind)) {
      const { job, desk } = encoder.prepare(paths[0]!, body);
      desk.furtherPaths = paths.slice(1);
      await encoder.request("POST", "/jobs", job);
      const ending = await desk.ending;
      if (!("result" in ending) || !("cpuMs" in ending.result))
        throw new Error(`a job failed: ${JSON.stringify(ending)}`);
      cpuMs += ending.result.cpuMs;
    }
  };
  await Promise.all([runAll("audio"), runAll("video")]);
  return { wallMs: performance.now() - startedAt, cpuMs };
}

/** What the Worker finds in the index of a file. */
async function copyFactsOf(path: string): Promise<CopyFacts> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = async (offset: number, length: number) => {
      const bytes = new Uint8Array(Math.min(length, Math.max(0, size - offset)));
      await file.read(bytes, 0, bytes.length, offset);
      return bytes;
    };
    const source = await indexSource({ size, read });
    if (!source.standard || source.copy === null) throw new Error(`${path} cannot be copied`);
    return source.copy;
  } finally {
    await file.close();
  }
}

/** Three parts of one kind: copied beside encoded. */
async function copiedBesideEncoded(encoder: TestEncoder): Promise<Figure[]> {
  const paths = await Promise.all([440, 660, 880].map((hz) => clip("1280x720", 30, hz, "")));
  const copies = await Promise.all(paths.map(copyFactsOf));
  const rounds: { copied: Run; encoded: Run }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const encoded = await join(encoder, paths);
    rounds.push({ encoded, copied: await join(encoder, paths, copies) });
  }
  return (["wallMs", "cpuMs"] as const).map((of): Figure => {
    const ratio = median(rounds.map(({ copied, encoded }) => copied[of] / encoded[of]));
    const ours = milliseconds(median(rounds.map(({ copied }) => copied[of])));
    const theirs = milliseconds(median(rounds.map(({ encoded }) => encoded[of])));
    return {
      name: `${of === "wallMs" ? "wall time" : "CPU"} of a join that copies its top rung`,
      value: `${ratio.toFixed(2)} ×`,
      yardstick: `${ours} against ${theirs} with that rung encoded`,
      aim: "",
      isMet: null,
      raw: rounds,
    };
  });
}

export async function run(): Promise<Figure[]> {
  const paths = [await clip("1280x720", 30, 440), await clip("960x720", 25, 660), await clip("1920x1080", 30, 880)];
  const encoder = await TestEncoder.start();
  const rounds: { joined: Run; command: Run }[] = [];
  let copying: Figure[] = [];
  try {
    const { video } = await encoder.probe(paths[0]!);
    const rungs = planWithPassthrough(
      { ...(await encoder.probe(paths[0]!)), video },
      { maxResolution: "1080p", mediaQuality: "standard" },
      null,
    ).plan.video!;
    for (let round = 0; round < ROUNDS; round += 1) {
      await mkdir(WORK, { recursive: true });
      const command = () =>
        ffmpeg(joinCommand(paths, rungs.rungs, { rate: 30, framesPerGop: rungs.grid.framesPerGop }, WORK));
      const joined = () => join(encoder, paths);
      // The order alternates, which cancels out a machine that slows down or warms up.
      const first = round % 2 === 0 ? await joined() : await command();
      const second = round % 2 === 0 ? await command() : await joined();
      rounds.push(round % 2 === 0 ? { joined: first, command: second } : { joined: second, command: first });
      console.error(
        `  round ${round + 1} of ${ROUNDS}: ${milliseconds(rounds.at(-1)!.joined.wallMs)}, ffmpeg ${milliseconds(rounds.at(-1)!.command.wallMs)}`,
      );
      await rm(WORK, { recursive: true, force: true });
    }
    copying = await copiedBesideEncoded(encoder);
  } finally {
    await encoder.stop();
  }
  const figure = (name: string, of: keyof Run, limit: number | null): Figure => {
    const ratio = median(rounds.map(({ joined, command }) => joined[of] / command[of]));
    const ours = milliseconds(median(rounds.map(({ joined }) => joined[of])));
    const theirs = milliseconds(median(rounds.map(({ command }) => command[of])));
    return {
      name,
      value: `${ratio.toFixed(2)} ×`,
      yardstick: `${ours} against ${theirs} of ffmpeg`,
      aim: limit === null ? "" : `≤ ${limit} × the command`,
      isMet: limit === null ? null : ratio <= limit,
      raw: rounds,
    };
  };
  return [figure("wall time of a join of three clips", "wallMs", 1.15), figure("CPU of it", "cpuMs", null), ...copying];
}
