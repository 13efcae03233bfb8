/**
 * Which vector instructions x264 may use. Its AVX-512 code for macroblock trees does not always give the same bits for the same
 * pictures (seen with the x264 of FFmpeg 8.1: one chunk in five differed in a few bytes), and a chunk that is encoded again must
 * come out the same. AVX2 does, at a few per cent of speed.
 */
import { readFileSync } from "node:fs";

/** @param cpuinfo the text of /proc/cpuinfo; "" where there is none @returns an x264 parameter, or "" to let x264 choose */
export function x264Instructions(cpuinfo: string): string {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/));
  return flags.has("avx512f") && flags.has("avx2") ? "asm=avx2" : "";
}

function readCpuinfo(): string {
  try {
    return readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return "";
  }
}

/** For the processor this runs on. */
export const INSTRUCTIONS = x264Instructions(readCpuinfo());
