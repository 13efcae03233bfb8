import { describe, expect, test } from "vitest";
import type { ItemErrorCode } from "../../../src/imports/sources/source.ts";
import type { FaultKind } from "../../support/imports/stand-in-faults.ts";
import {
  CLIP,
  failureOf,
  firstListed,
  listAll,
  openSource,
  PAGE_SIZE,
  resolved,
  wordsOf,
  type Opened,
  type SourceUnderTest,
} from "./suite-kit.ts";

const FAULTS: [FaultKind, ItemErrorCode][] = [
  [{ kind: "rateLimited", retryAfterSeconds: 77 }, "source_rate_limited"],
  [{ kind: "status", status: 500 }, "source_unavailable"],
  [{ kind: "html" }, "source_unreadable"],
  [{ kind: "close" }, "source_unavailable"],
];

/** A bad day of the platform: each call fails with the right code, and the same call succeeds when the day is over. */
export function describeFaults<O, C>(under: SourceUnderTest<O, C>, opened: Opened): void {
  describe.for(FAULTS)("%o", ([kind, code]) => {
    test("at the second page; after it, the list goes on", async () => {
      const ids = opened.standIn.addMany(2 * PAGE_SIZE + 1, CLIP);
      const first = await opened.source.listPage(null, {});
      opened.standIn.plant({ ...kind, on: under.listCall });
      const failure = await failureOf(opened.source.listPage(first.next, {}));
      expectFailure(under, failure, code);
      if (kind.kind === "rateLimited") expectPause(failure.retryAfterMs, kind.retryAfterSeconds);

      opened.standIn.heal();
      const rest = [];
      for (let next = first.next; next !== null;) {
        const page = await opened.source.listPage(next, {});
        rest.push(...page.videos);
        next = page.next;
      }
      expect([...first.videos, ...rest].map(({ id }) => id).sort()).toEqual(ids.toSorted());
    });

    test.runIf(under.resolveCall !== null)("when a file is resolved; after it, there is one", async () => {
      if (under.resolveCall === null) return;
      opened.standIn.addMany(1, CLIP);
      const video = await firstListed(opened.source);
      opened.standIn.plant({ ...kind, on: under.resolveCall });
      expectFailure(under, await failureOf(resolved(opened.source, video)), code);

      opened.standIn.heal();
      expect((await resolved(opened.source, video)).resolution.status).toBe("ready");
    });

    test("at the check", async () => {
      opened.standIn.addMany(1, CLIP);
      opened.standIn.plant(kind);
      expectFailure(under, await failureOf(opened.source.check()), code);
    });
  });

  const { necessaryField } = under;
  test.skipIf(necessaryField === null)("a renamed field is named", async () => {
    if (necessaryField === null) return;
    opened.standIn.addMany(PAGE_SIZE, CLIP);
    opened.standIn.plant({ kind: "rename", from: necessaryField, to: "renamed", on: under.listCall });
    const failure = await failureOf(listAll(opened.source));
    expectFailure(under, failure, "source_unreadable");
    expect(failure.message).toContain(necessaryField);
    expect(failure.retryAfterMs).toBeNull();
  });

  test("fields that no document mentions do no harm", async () => {
    const ids = opened.standIn.addMany(PAGE_SIZE + 1, CLIP);
    opened.standIn.plant({ kind: "extraFields" });
    const { videos } = await listAll(opened.source);
    expect(videos.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect((await resolved(opened.source, await firstListed(opened.source))).resolution.status).toBe("ready");
    expect((await opened.source.check()).missing).toEqual([]);
  });

  test("a video that disappears between two pages costs no other video", async () => {
    const ids = opened.standIn.addMany(3 * PAGE_SIZE, CLIP);
    const first = await opened.source.listPage(null, {});
    const gone = first.videos[1]?.id ?? "";
    opened.standIn.remove(gone);
    const seen = first.videos.map(({ id }) => id);
    for (let next = first.next; next !== null;) {
      const page = await opened.source.listPage(next, {});
      seen.push(...page.videos.map(({ id }) => id));
      next = page.next;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  test("a list that repeats videos at its pages' borders has each at least once", async () => {
    const ids = opened.standIn.addMany(2 * PAGE_SIZE + 1, CLIP);
    opened.standIn.lists.repeats = true;
    const { videos } = await listAll(opened.source);
    expect([...new Set(videos.map(({ id }) => id))].sort()).toEqual(ids.toSorted());
  });

  test("a list that circles is refused, or its cursor comes back so that the batch can tell", async () => {
    opened.standIn.addMany(2 * PAGE_SIZE + 1, CLIP);
    opened.standIn.lists.circles = true;
    expect(await endOfCircle(opened)).not.toBe("no end");
  });

  test("wrong credentials fail each call alike", async () => {
    opened.standIn.addMany(1, CLIP);
    const video = await firstListed(opened.source);
    const wrong = openSource(under, opened.standIn, under.wrong);
    expectFailure(under, await failureOf(wrong.listPage(null, {})), "credentials_invalid");
    expectFailure(under, await failureOf(wrong.describe(video.id)), "credentials_invalid");
    if (under.resolveCall !== null)
      expectFailure(under, await failureOf(wrong.resolve(video, null)), "credentials_invalid");
  });
}

function expectFailure<O, C>(
  under: SourceUnderTest<O, C>,
  failure: Error & { code: ItemErrorCode },
  code: ItemErrorCode,
): void {
  expect(failure.code).toBe(code);
  for (const secret of under.secrets) expect(wordsOf(failure)).not.toContain(secret);
}

/** Vendors that name a time in place of seconds leave a second open. */
function expectPause(pauseMs: number | null, seconds: number): void {
  expect(Math.abs((pauseMs ?? 0) - seconds * 1000)).toBeLessThanOrEqual(1000);
}

async function endOfCircle({ source }: Opened): Promise<"refused" | "cursor again" | "ended" | "no end"> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (let pages = 0; pages < 20; pages++) {
    try {
      cursor = (await source.listPage(cursor, {})).next;
    } catch {
      return "refused";
    }
    if (cursor === null) return "ended";
    if (seen.has(cursor)) return "cursor again";
    seen.add(cursor);
  }
  return "no end";
}
