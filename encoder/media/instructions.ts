/**
 * Which vector instructions x264 may use. Its AVX-512 code for macroblock trees takes eight macroblocks at a time and does not
 * always give the same bits when the last eight of a row are not full (seen with the x264 of FFmpeg 8.1: a chunk 854 or 480 wide
 * came out in several variants, 1920 and 1280 never). A chunk that is encoded again must come out the same; AVX2 does, at a few
 * per cent of speed, and gives the same bits as AVX-512 where that is sound.
 */
import { readFileSync } from "node:fs";

const MACROBLOCK_PX = 16;
const MACROBLOCKS_AT_ONCE = 8;

/** @param cpuinfo the text of /proc/cpuinfo; "" where there is none @returns an x264 parameter, or "" to let x264 choose */
export function x264Instructions(widthPx: number, cpuinfo: string = CPUINFO): string {
  const rowIsFull = Math.ceil(widthPx / MACROBLOCK_PX) % MACROBLOCKS_AT_ONCE === 0;
  if (rowIsFull) return "";
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/));
  return flags.has("avx512f") && flags.has("avx2") ? "asm=avx2" : "";
}

/** Of the processor this runs on. */
const CPUINFO = readCpuinfo();

function readCpuinfo(): string {
  try {
    return readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return "";
  }
}
