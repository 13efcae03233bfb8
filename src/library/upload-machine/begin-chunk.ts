import { maxSourceBytes } from "../sources/limits.ts";
import type { Chunk, ChunkVerdict } from "../uploads/upload-calls.ts";
import { completeIfWhole } from "./commit-piece.ts";
import { judgeChunk, MAX_PIECES, refusalOfTotal } from "./judge-chunk.ts";
import type { UploadComponents } from "./components.ts";
import { reserveStorage } from "./reserve-storage.ts";
import { scheduleSweep } from "./sweep-pieces.ts";

/** The longest time for which a piece may be written. A Worker that is killed in between cannot delete its object. */
const PIECE_WRITE_MS = 3600_000;
/** Pieces of one upload that are written at the same time, or were left unfinished. */
const MAX_OPEN_PIECES = 32;

/** Decides about a chunk, and records the piece that it is stored as. */
export async function beginChunk(machine: UploadComponents, chunk: Chunk): Promise<ChunkVerdict> {
  const { pieces } = machine;
  const judge = () =>
    judgeChunk(machine.progress, chunk, {
      maxBytes: maxSourceBytes(machine.env),
      piecesLeft: MAX_PIECES - pieces.keptCount,
    });
  const { offset, length: chunkBytes, totalBytes } = chunk;
  // Only a chunk that is taken reserves: the others say nothing about the file.
  if ("take" in judge() && !(await reserveStorage(machine, { totalBytes, endBytes: offset + chunkBytes })))
    return { kind: "refuse", reason: "storage_full", progress: machine.progress };
  const judged = judge(); // after the query, during which other chunks may have come
  const { progress } = machine;
  if ("refuse" in judged) return { kind: "refuse", reason: judged.refuse, progress };
  if ("ignore" in judged) return { kind: "ignore", progress };
  const { skip, length } = judged.take;
  const piece = machine.commit(() => {
    if (chunk.totalBytes !== null) machine.documents.put("totalBytes", chunk.totalBytes);
    const number = pieces.open(progress.storedBytes, length, machine.clock() + PIECE_WRITE_MS);
    pieces.dropOpenBeyond(MAX_OPEN_PIECES);
    scheduleSweep(machine);
    return number;
  });
  return { kind: "write", piece, skip, length };
}

/** States the length of the file. An upload that has all its bytes is complete then. */
export async function announceTotal(machine: UploadComponents, totalBytes: number): Promise<ChunkVerdict> {
  const { progress } = machine;
  const refusal = refusalOfTotal(progress, totalBytes, maxSourceBytes(machine.env));
  if (refusal !== null) return { kind: "refuse", reason: refusal, progress };
  if (!(await reserveStorage(machine, { totalBytes, endBytes: 0 })))
    return { kind: "refuse", reason: "storage_full", progress };
  if (machine.progress.status === "waiting") machine.documents.put("totalBytes", totalBytes);
  await completeIfWhole(machine);
  return { kind: "ignore", progress: machine.progress };
}
