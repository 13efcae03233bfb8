import { expect } from "vitest";
import { boxesOf, decodeTicksOf, type Made, partsOf } from "./live.ts";

/** Checks the invariants of all parts of a broadcast. */
export function checkParts(made: Made, partTargetMs = 500): void {
  for (const { name, timescale, kind } of made.started[0]!.renditions) {
    const parts = partsOf(made, name);
    let [msn, part, endTicks] = [parts[0]!.facts.msn, 0, 0];
    for (const { facts, bytes } of parts) {
      const where = `${name} ${facts.msn}.${facts.part}`;
      expect([facts.msn, facts.part], `at ${where}`).toEqual([msn, part]);
      [msn, part] = facts.isLast ? [msn + 1, 0] : [msn, part + 1];
      const durationMs = (1000 * facts.durationTicks) / timescale;
      expect(durationMs, `at ${where}`).toBeLessThanOrEqual(partTargetMs + 0.001);
      if (!facts.isLast) expect(durationMs, `at ${where}`).toBeGreaterThanOrEqual(0.85 * partTargetMs - 0.001);
      if (facts.part === 0 && kind === "video") expect(facts.isIndependent, `at ${where}`).toBe(true);
      const names = boxesOf(bytes).map(({ type }) => type);
      expect(names, `at ${where}`).toEqual([...(facts.part === 0 ? ["styp"] : []), "prft", "moof", "mdat"]);
      const ticks = decodeTicksOf(bytes);
      if (facts.isDiscontinuous || endTicks === 0) expect(ticks, `at ${where}`).toBeGreaterThanOrEqual(endTicks);
      else expect(ticks, `at ${where}`).toBe(endTicks);
      endTicks = ticks + facts.durationTicks;
    }
    expect(parts.at(-1)!.facts.isLast, `of ${name}`).toBe(true);
    expect(msn, `of ${name}`).toBe(made.end.nextMsn);
  }
}
