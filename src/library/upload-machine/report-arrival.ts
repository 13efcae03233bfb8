import { frontIndexEnd } from "../../media/mp4/front-index.ts";
import { assetMachine } from "../assets/asset-calls.ts";
import { placePieces } from "../sources/piece-list.ts";
import { readPieces } from "../sources/stored-pieces.ts";
import { drainSoon } from "./drain.ts";
import type { UploadComponents } from "./components.ts";

/** The first read of the edge's probe. */
const PROBED_BYTES = 256 * 1024;
/** Arrivals are reported at most this often. */
const REPORT_INTERVAL_MS = 500;

/** Part of each commit of a piece. */
export function scheduleReport({ documents, timers, clock }: UploadComponents): void {
  if (documents.get("playsEarly") === false) return;
  timers.bringForward("arrival", Math.max(clock(), (documents.get("reportedAtMs") ?? 0) + REPORT_INTERVAL_MS));
}

/**
 * Creates the media of an upload whose index has arrived before its media data, so that it plays while it is coming in; later on, tells its
 * machine that more has arrived. The media of other uploads is created when they are complete.
 */
export async function reportArrival(machine: UploadComponents): Promise<void> {
  const { documents, env, upload } = machine;
  if (machine.state.status !== "waiting") return;
  documents.put("reportedAtMs", machine.clock());
  if (documents.get("playsEarly") === true) {
    await assetMachine(env, upload.id).noteArrival();
    return;
  }
  const playsEarly = await canPlayEarly(machine);
  if (playsEarly === "unknown" || machine.state.status !== "waiting") return;
  machine.commit(() => {
    documents.put("playsEarly", playsEarly);
    if (playsEarly) machine.outbox.enqueue({ kind: "begun", payload: { atMs: machine.clock() } });
  });
  if (playsEarly) await drainSoon(machine);
}

async function canPlayEarly({ env, pieces, progress, upload }: UploadComponents): Promise<boolean | "unknown"> {
  const { storedBytes, totalBytes } = progress;
  if (totalBytes === null) return "unknown";
  const { startTime = 0, endTime, montage, watermark } = upload.settings;
  if (startTime > 0 || endTime !== undefined || montage !== undefined || watermark !== undefined) return false;
  const placed = placePieces(pieces.kept());
  const read = async (offset: number, length: number) => {
    const bytes = new Uint8Array(length);
    await readPieces(env, upload.id, placed, offset, bytes);
    return bytes;
  };
  const end = await frontIndexEnd({ read }, storedBytes);
  if (end === null || end === "unknown") return end ?? false;
  return Math.max(end, Math.min(PROBED_BYTES, totalBytes)) <= storedBytes ? true : "unknown";
}
