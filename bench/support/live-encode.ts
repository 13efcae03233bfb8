/** `node live-encode.ts FILE [copy]`: encodes a broadcast like its child process, but never drops a rung on a busy machine. */
import { SESSION_START } from "../../encoder/live/run-state.ts";
import { createReadStream } from "node:fs";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { encodeBroadcast } from "../../encoder/live/broadcast.ts";
import { encodeMessage } from "../../encoder/live/wire.ts";

Log.setLevel(AV_LOG_QUIET);
const [path, how] = process.argv.slice(2) as [string, string?];
const settings = { maxResolution: "1080p", partTargetMs: 500, segmentMs: 2000 } as const;
await encodeBroadcast(
  createReadStream(path),
  { settings, start: SESSION_START, encodesTopRung: how !== "copy" },
  {
    onStarted() {},
    onOpening: () => Promise.reject(new Error("the source jumps")),
    onInit() {},
    onPart: (facts, bytes) => void process.stdout.write(encodeMessage({ type: "part", facts }, bytes)),
    onThumbnail() {},
    onThumbnailFailed() {},
    onRungDropped() {},
    onPulse() {},
    onWarnings() {},
  },
  { decide: () => null },
);
