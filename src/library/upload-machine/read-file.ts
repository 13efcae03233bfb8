/** What readers of an upload's file ask its machine. */
import type { Arrival, ArrivedPieces } from "../sources/upload-file-calls.ts";
import type { UploadComponents } from "./components.ts";

export function readPieces({ pieces, progress }: UploadComponents): ArrivedPieces {
  return { isWhole: progress.status === "complete", totalBytes: progress.totalBytes, pieces: pieces.kept() };
}

export const awaitArrival = async ({ waits }: UploadComponents, untilBytes: number): Promise<Arrival> => ({
  hasArrived: await waits.wait(untilBytes),
});
