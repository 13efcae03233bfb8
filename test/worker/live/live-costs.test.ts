/** What a part of a broadcast costs in rows written: they are most of what Cloudflare bills for a broadcast (docs/guides/costs.md). */
import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import guide from "../../../docs/guides/costs.md?raw";
import { openSession, putPart } from "../../../src/live/origin/writes.ts";
import { OriginComponents } from "../../../src/live/origin/components.ts";
import { CountedStorage } from "../counted-storage.ts";
import { newOrigin, partOf } from "./origin/origins.ts";

const [SEGMENTS, PARTS] = [60, 4];

test("a part costs the rows of the cost guide", async () => {
  const { stub, session } = newOrigin();
  const rows = await runInDurableObject(stub, async (_, state) => {
    let written = 0;
    const storage = new CountedStorage(state.storage, (_by, count) => void (written += count));
    const context = { storage, id: state.id } as unknown as DurableObjectState;
    const edge = new OriginComponents(context, env);
    openSession(edge, session, 1);
    for (let msn = 0; msn < SEGMENTS; msn += 1)
      for (const { name } of session.renditions)
        for (let part = 0; part < PARTS; part += 1) {
          putPart(edge, partOf(name, msn, part), new Uint8Array(1000), 1);
          if (part === PARTS - 1) await edge.uploads.run();
        }
    return written;
  });
  const perPart = rows / (SEGMENTS * PARTS * session.renditions.length);
  const [, stated, total] = /rows written {8}\| ([\d.]+) for each part: ([\d,]+)/.exec(guide)!;
  expect(Math.abs(perPart - Number(stated))).toBeLessThan(0.15);
  expect(Number(total!.replace(",", ""))).toBeCloseTo(10 * 3600 * Number(stated), -4);
});
