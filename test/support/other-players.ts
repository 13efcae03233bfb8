/** Debian's native players, without a screen: which pictures of a film or a broadcast each shows. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type OtherPlayer = "ffmpeg" | "mpv" | "vlc" | "gstreamer";

export interface Playing {
  /** Media times of the displayed pictures, in seconds and in display order. VLC reports only their number: they count as consecutive. */
  shown(): number[];
  /** Media seconds between the first and the last displayed picture. */
  playedSeconds(): number;
  /** The exit code, once the player has ended or was stopped. */
  ended: Promise<number | null>;
  stop(): Promise<void>;
  /** The last lines of its output. */
  words(): string;
}

interface Reader {
  command: string;
  args: (url: string) => string[];
  /** Media times of the pictures that a line of output reports. */
  read: (line: string, pictures: number) => number[];
  /** The command that asks it for the pictures it has shown. */
  question?: string;
}

const VLC_HZ = 30;
/** What a player shows after its last answer is not seen. */
const QUESTION_MS = 100;

const PLAYERS: Record<OtherPlayer, Reader> = {
  ffmpeg: {
    command: process.env["FFMPEG"] ?? "ffmpeg",
    args: (url) => [
      "-v",
      "error",
      "-i",
      url,
      "-map",
      "0:v:0",
      "-map",
      "0:a:0",
      "-fps_mode:v",
      "passthrough",
      "-enc_time_base:v",
      "1/1000",
      "-f",
      "framecrc",
      "-",
    ],
    read: (line) => {
      const pts = /^0,\s*-?\d+,\s*(-?\d+),/.exec(line)?.[1];
      return pts === undefined ? [] : [Number(pts) / 1000];
    },
  },
  mpv: {
    command: process.env["MPV"] ?? "mpv",
    args: (url) => ["--no-config", "--vo=null", "--ao=null", "--term-status-msg=at ${=time-pos}", url],
    read: (line) => [...line.matchAll(/at (\d+\.\d+)/g)].map(([, seconds]) => Number(seconds)),
  },
  vlc: {
    command: process.env["VLC"] ?? "vlc",
    args: (url) => [
      "-I",
      "oldrc",
      "--rc-fake-tty",
      "--no-color",
      "--play-and-exit",
      "--vout",
      "dummy",
      "--aout",
      "dummy",
      url,
    ],
    read: (line, pictures) => {
      const count = /frames displayed\s*:\s*(\d+)/.exec(line)?.[1];
      const more = count === undefined ? 0 : Math.max(0, Number(count) - pictures);
      return Array.from({ length: more }, (_, n) => (pictures + n) / VLC_HZ);
    },
    question: "stats\n",
  },
  gstreamer: {
    command: process.env["GST_LAUNCH"] ?? "gst-launch-1.0",
    args: (url) => [
      ..."-v uridecodebin3 name=d".split(" "),
      `uri=${url}`,
      ..."d. ! queue ! videoconvert ! fakesink name=v sync=true silent=false".split(" "),
      ..."d. ! queue ! audioconvert ! fakesink name=a sync=true".split(" "),
    ],
    read: (line) => {
      const found = /GstFakeSink:v: last-message = chain.*pts: (\d+):(\d\d):(\d\d\.\d+)/.exec(line);
      return found === null ? [] : [Number(found[1]) * 3600 + Number(found[2]) * 60 + Number(found[3])];
    },
  },
};

const WORDS = 4000;
const NOBODY = 65534;

/** Plays until the end, or until it is stopped. @param url HLS or DASH, with picture and sound, 30 frames per second */
export async function play(player: OtherPlayer, url: string): Promise<Playing> {
  const home = await mkdtemp(join(tmpdir(), `sluice-${player}-`));
  const { command, args, read, question } = PLAYERS[player];
  const child = spawn(command, args(url), {
    env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, GST_REGISTRY: join(home, "registry") },
    cwd: tmpdir(),
    ...(player === "vlc" && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}), // VLC does not run as root
  });
  const shown: number[] = [];
  let words = "";
  const hear = (line: string) => {
    const seen = read(line, shown.length);
    shown.push(...seen);
    if (seen.length === 0) words = `${words}${line}\n`.slice(-WORDS);
  };
  for (const stream of [child.stdout, child.stderr]) forLines(stream, hear);
  const asking = question === undefined ? null : setInterval(() => child.stdin.write(question), QUESTION_MS);
  child.stdin.on("error", () => {}); // it may end during a write
  const ended = new Promise<number | null>((done) => child.once("close", done)).then(async (code) => {
    if (asking !== null) clearInterval(asking);
    await rm(home, { recursive: true, force: true });
    return code;
  });
  return {
    shown: () => shown,
    playedSeconds: () => (shown.length === 0 ? 0 : shown.at(-1)! - shown[0]!),
    ended,
    stop: () => stop(child, ended),
    words: () => words,
  };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

function forLines(stream: NodeJS.ReadableStream, hear: (line: string) => void): void {
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split(/[\r\n]+/);
    rest = lines.pop()!;
    for (const line of lines) hear(line);
  });
}
