/**
 * Selects the vector instructions for x264. Its AVX-512 macroblock-tree code processes eight macroblocks at a time and is not always
 * deterministic when the last group of a row is incomplete (seen with the x264 of FFmpeg 8.1: chunks 854 or 480 pixels wide had several
 * variants, 1920 and 1280 never). Encoding a chunk again must give identical bytes. AVX2 does, a few per cent slower, and its output equals
 * that of AVX-512 where the latter is deterministic.
 */
import { readFileSync } from "node:fs";

const MACROBLOCK_PX = 16;
const MACROBLOCKS_AT_ONCE = 8;

/** @param cpuinfo the text of /proc/cpuinfo, or "" @returns an x264 parameter, or "" to let x264 choose */
export function x264Instructions(widthPx: number, cpuinfo: string = CPUINFO): string {
  const rowIsFull = Math.ceil(widthPx / MACROBLOCK_PX) % MACROBLOCKS_AT_ONCE === 0;
  if (rowIsFull) return "";
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/));
  return flags.has("avx512f") && flags.has("avx2") ? "asm=avx2" : "";
}

/** The current machine's CPU. */
const CPUINFO = readCpuinfo();

function readCpuinfo(): string {
  try {
    return readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return "";
  }
}
