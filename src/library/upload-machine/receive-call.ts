import type { Upload } from "../uploads/repository.ts";
import type { Chunk, UploadCalls } from "../uploads/upload-calls.ts";
import { announceTotal, beginChunk } from "./begin-chunk.ts";
import { abandonPieces, commitPiece, completeIfWhole } from "./commit-piece.ts";
import { endUpload } from "./end-upload.ts";
import type { UploadComponents } from "./components.ts";
import { ensureStarted, startUpload } from "./start-upload.ts";

type Calls = { [Name in keyof UploadCalls]: (machine: UploadComponents, document: never) => ReturnType<UploadCalls[Name]> };

const CALLS: Calls = {
  start: (machine, { upload }: { upload: Upload }) => startUpload(machine, upload),
  progress: (machine) => machine.progress,
  begin: (machine, chunk: Chunk) => beginChunk(machine, chunk),
  commit: (machine, { piece }: { piece: number }) => commitPiece(machine, piece),
  abandon: (machine, { piece }: { piece: number }) => abandonPieces(machine, [piece]),
  announce: async (machine, { totalBytes }: { totalBytes: number }) => {
    const verdict = announceTotal(machine, totalBytes);
    await completeIfWhole(machine);
    return verdict.kind === "ignore" ? { ...verdict, progress: machine.progress } : verdict;
  },
  pieces: ({ pieces, progress }) => ({
    isWhole: progress.status === "complete",
    totalBytes: progress.totalBytes,
    pieces: pieces.kept(),
  }),
  arrival: async ({ waits }, { untilBytes }: { untilBytes: number }) => ({ hasArrived: await waits.wait(untilBytes) }),
  cancel: (machine) => endUpload(machine, "cancel"),
  expire: (machine) => endUpload(machine, "expire"),
};

/** Answers a call; null when no upload has this id. */
export async function receiveCall(machine: UploadComponents, name: string, document: unknown): Promise<unknown> {
  const call = CALLS[name as keyof UploadCalls] as ((machine: UploadComponents, document: unknown) => unknown) | undefined;
  if (call === undefined) throw new Error(`an upload machine does not know ${name}`);
  const { uploadId } = document as { uploadId: string };
  if (name !== "start" && !(await ensureStarted(machine, uploadId))) return null;
  return await call(machine, document);
}
