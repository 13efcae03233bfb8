/** What Debian's ffmpeg finds in a file. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

interface InspectedFile {
  streams: { codec: string; frames: number; startSeconds: number }[];
  durationSeconds: number;
  startSeconds: number;
  /** Every warning, of reading it and of decoding it from its start to its end. */
  complaints: string;
}

interface Probed {
  streams: { codec_name: string; nb_read_frames: string; start_time: string }[];
  format: { duration: string; start_time: string };
}

const ENTRIES = [
  "-count_frames",
  "-show_entries",
  "format=duration,start_time:stream=codec_name,nb_read_frames,start_time",
];

export async function inspectFile(bytes: Buffer): Promise<InspectedFile> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-inspected-"));
  try {
    const path = join(folder, "file");
    await writeFile(path, bytes);
    const probed = await run("ffprobe", ["-v", "warning", ...ENTRIES, "-of", "json", path]);
    const decoded = await run("ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"]);
    const { streams, format } = JSON.parse(probed.stdout) as Probed;
    return {
      streams: streams.map(({ codec_name: codec, nb_read_frames: frames, start_time: start }) => ({
        codec,
        frames: Number(frames),
        startSeconds: Number(start),
      })),
      durationSeconds: Number(format.duration),
      startSeconds: Number(format.start_time),
      complaints: probed.stderr + decoded.stderr,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
