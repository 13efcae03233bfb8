/** Debian's native players, without a screen: which pictures of a film or a broadcast each shows. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PictureCounter } from "./yuv4mpeg.ts";

export type OtherPlayer = "ffmpeg" | "mpv" | "vlc" | "gstreamer";

export interface Playing {
  /** Media times of the displayed pictures, in seconds and in display order. VLC's have no times: they count as consecutive. */
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
  /** @param pictures path of a named pipe; only `writesPictures` */
  args: (url: string, pictures: string) => string[];
  /** Media times of the pictures that a line of output reports. */
  read: (line: string) => number[];
  /** It writes what it displays to the named pipe, as YUV4MPEG2. */
  writesPictures?: true;
}

const VLC_HZ = 30;

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
  // Its statistics end up to a second before its last picture.
  vlc: {
    command: process.env["VLC"] ?? "vlc",
    args: (url, pictures) => [
      ..."-I dummy --no-color --play-and-exit --aout dummy".split(" "),
      ..."--no-drop-late-frames --no-skip-frames".split(" "), // pictures are counted, and a busy machine is late
      ..."--vout yuv --yuv-chroma I420 --yuv-yuv4mpeg2 --yuv-file".split(" "),
      pictures,
      url,
    ],
    read: () => [],
    writesPictures: true,
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
  const { command, args, read, writesPictures } = PLAYERS[player];
  const shown: number[] = [];
  const path = join(home, "pictures");
  const pipe = writesPictures === true ? readPictures(path, () => shown.push(shown.length / VLC_HZ)) : null;
  const isOtherUser = player === "vlc" && process.getuid?.() === 0; // VLC does not run as root
  if (isOtherUser) chmodSync(home, 0o777);
  const child = spawn(command, args(url, path), {
    env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, GST_REGISTRY: join(home, "registry") },
    cwd: tmpdir(),
    ...(isOtherUser ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let words = "";
  const hear = (line: string) => {
    const seen = read(line);
    shown.push(...seen);
    if (seen.length === 0) words = `${words}${line}\n`.slice(-WORDS);
  };
  for (const stream of [child.stdout, child.stderr]) forLines(stream, hear);
  const ended = new Promise<number | null>((done) => child.once("close", done)).then(async (code) => {
    await pipe?.end();
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

/** Makes a named pipe and calls `seen` for each picture written to it. `end` waits for what is still in the pipe. */
function readPictures(path: string, seen: () => void): { end(): Promise<void> } {
  execFileSync("mkfifo", ["-m", "666", path]);
  const socket = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
  const writer = openSync(path, constants.O_WRONLY); // without a writer the pipe would end before the player opens it
  const counter = new PictureCounter();
  socket.on("data", (chunk: Buffer) => {
    const before = counter.pictures;
    counter.add(chunk);
    for (let picture = before; picture < counter.pictures; picture += 1) seen();
  });
  const ended = new Promise<void>((done, failed) => socket.once("close", () => done()).once("error", failed));
  return {
    end: () => {
      closeSync(writer);
      return ended;
    },
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
