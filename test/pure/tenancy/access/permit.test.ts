import { expect, test } from "vitest";
import { PERMIT_FORM, permitExpiry, readPermit, signPermit } from "../../../../src/tenancy/access/permit.ts";

const HOUR = 3600_000;
const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)];
const permit = () => ({
  playbackId: crypto.randomUUID(),
  keyId: crypto.randomUUID(),
  expiresAtMs: 1_800_000_000_000,
});

test("a permit lasts for the media and at least an hour, until a full hour, so that viewers of an hour share it", () => {
  const start = 500_000 * HOUR;
  for (const lastsMs of [0, 10 * 60_000, 12 * HOUR])
    for (const nowMs of [start + 1, start + HOUR / 2, start + HOUR]) {
      const leftMs = permitExpiry(nowMs, lastsMs) - nowMs;
      expect(permitExpiry(nowMs, lastsMs) % HOUR).toBe(0);
      expect(leftMs).toBeGreaterThanOrEqual(lastsMs + HOUR);
      expect(leftMs).toBeLessThan(lastsMs + 2 * HOUR);
    }
  expect(permitExpiry(start + 1, 0)).toBe(permitExpiry(start + HOUR, 0));
});

test("a permit is read back with what it grants, and is valid until its expiry", () => {
  const granted = permit();
  const text = signPermit(NEW, granted);
  expect(text).toMatch(new RegExp(`^${PERMIT_FORM}$`));
  expect(readPermit(NEW, granted.playbackId, text, granted.expiresAtMs - 1)).toEqual(granted);
  expect(readPermit(NEW, granted.playbackId, text, granted.expiresAtMs)).toBe("expired");
});

test("during a rotation of the secret, permits of both are valid; afterwards those of the old one are not", () => {
  const granted = permit();
  const text = signPermit(OLD, granted);
  expect(readPermit(NEW, granted.playbackId, text, 0)).toBe("forged");
  expect(readPermit(`${NEW},${OLD}`, granted.playbackId, text, 0)).toEqual(granted);
  expect(signPermit(`${NEW},${OLD}`, granted)).toBe(signPermit(NEW, granted));
});

test("a permit with any character changed, or for another playback ID, is forged", () => {
  const granted = permit();
  const text = signPermit(NEW, granted);
  expect(readPermit(NEW, crypto.randomUUID(), text, 0)).toBe("forged");
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "-") continue;
    const changed = `${text.slice(0, at)}${text[at] === "1" ? "2" : "1"}${text.slice(at + 1)}`;
    expect(readPermit(NEW, granted.playbackId, changed, 0)).toBe("forged");
  }
  const padded = [`0${text}`, `00${text}`];
  for (const one of padded) expect(readPermit(NEW, granted.playbackId, one, 0)).toBe("forged");
  for (const one of [...padded, `0-${text.slice(11)}`]) expect(one).not.toMatch(new RegExp(`^${PERMIT_FORM}$`));
  for (const broken of ["", text.slice(1), `${text}0`, text.toUpperCase()])
    expect(readPermit(NEW, granted.playbackId, broken, 0)).not.toEqual(granted);
});
