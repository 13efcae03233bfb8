import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import { describeFaults } from "./suite-faults.ts";
import { describeFetching } from "./suite-fetching.ts";
import {
  CLIP,
  failureOf,
  listAll,
  openSource,
  PAGE_SIZE,
  wordsOf,
  type Opened,
  type SourceUnderTest,
} from "./suite-kit.ts";

/** Every source passes this suite with its stand-in. Real waiting is not needed: the stand-ins count calls in place of seconds. */
export function describeSource<O, C>(name: string, under: SourceUnderTest<O, C>): void {
  describe(`source ${name}`, () => {
    const opened = {} as Opened;
    beforeEach(async () => {
      opened.standIn = await under.makeStandIn({ pageSize: PAGE_SIZE });
      opened.source = openSource(under, opened.standIn, under.good);
    });
    afterEach(() => opened.standIn.close());

    describe("lists", () => {
      describeListing(under, opened);
    });
    describe("checks credentials", () => {
      describeCheck(under, opened);
    });
    describe("fetches", () => {
      describeFetching(under, opened);
    });
    describe("faults", () => {
      describeFaults(under, opened);
    });
  });
}

function describeListing<O, C>(under: SourceUnderTest<O, C>, opened: Opened): void {
  test("every video once, over several pages", async () => {
    const ids = opened.standIn.addMany(2 * PAGE_SIZE + 3, CLIP);
    const { videos, pages } = await listAll(opened.source);

    expect(videos.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect(pages).toBeGreaterThanOrEqual(3);
  });

  test("a library that ends with a full page, and an empty one", async () => {
    expect((await listAll(opened.source)).videos).toEqual([]);
    const ids = opened.standIn.addMany(PAGE_SIZE, CLIP);
    expect((await listAll(opened.source)).videos.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  });

  test("what the source says of a video", async () => {
    const title = "Häuser & <Gärten> 🏡";
    const [id] = opened.standIn.addMany(1, CLIP, () => ({ title, creatorId: "creator-7" }));
    const { videos } = await listAll(opened.source);
    const [video] = videos;
    const held = opened.standIn.videos.get(id ?? "");

    expect(video).toMatchObject({ id, obstacle: null });
    const { keeps } = under;
    if (keeps.includes("title")) expect(video).toHaveProperty("title", title);
    if (keeps.includes("creatorId")) expect(video).toHaveProperty("creatorId", "creator-7");
    if (keeps.includes("durationMs")) expect(video).toHaveProperty("durationMs", CLIP.durationMs);
    if (keeps.includes("dimensions")) expect(video).toMatchObject({ widthPx: CLIP.widthPx, heightPx: CLIP.heightPx });
    if (keeps.includes("createdAt")) expect(Date.parse(video?.createdAt ?? "")).toBe(held?.createdAtMs);
  });

  test("policies", async () => {
    for (const policy of under.policies) {
      const [id] = opened.standIn.addMany(1, CLIP, () => ({ policy }));
      const described = await opened.source.describe(id ?? "");
      expect(described?.policy).toBe(policy);
      for (const playbackId of described?.playbackIds ?? []) expect(playbackId.policy).toBe(policy);
    }
  });

  test("chosen ids, and the range of creation holds no video that was asked for back", async () => {
    const ids = opened.standIn.addMany(3 * PAGE_SIZE, CLIP);
    const wanted = [ids[1] ?? "", ids[9] ?? ""];
    const chosen = await listAll(opened.source, { ids: wanted });
    expect(chosen.videos.map(({ id }) => id)).toEqual(expect.arrayContaining(wanted));

    const timesMs = ids.map((id) => opened.standIn.videos.get(id)?.createdAtMs ?? 0);
    const within = { createdAfterMs: timesMs[2], createdBeforeMs: timesMs[7] };
    const ranged = await listAll(opened.source, within);
    expect(ranged.videos.map(({ id }) => id)).toEqual(expect.arrayContaining(ids.slice(2, 7)));
  });

  test("a known video as the list has it, and an unknown one as null", async () => {
    const [id] = opened.standIn.addMany(1, CLIP, () => ({ creatorId: "creator-7" }));
    const [listed] = (await listAll(opened.source)).videos;
    const described = await opened.source.describe(id ?? "");

    expect(described).toMatchObject({ id, title: listed?.title, policy: listed?.policy, ref: listed?.ref });
    opened.standIn.remove(id ?? "");
    expect(await opened.source.describe(id ?? "")).toBeNull();
  });

  test("a reference that fits the row of an item", async () => {
    opened.standIn.addMany(1, CLIP);
    const [video] = (await listAll(opened.source)).videos;
    const stored = JSON.stringify(video?.ref);
    expect(stored.length).toBeLessThan(4096);
    for (const secret of under.secrets) expect(stored).not.toContain(secret);
  });
}

function describeCheck<O, C>(under: SourceUnderTest<O, C>, opened: Opened): void {
  test("that are good", async () => {
    opened.standIn.addMany(1, CLIP);
    const check = await opened.source.check();
    expect(check.missing).toEqual([]);
    expect(check.account).toMatch(/^.{1,255}$/);
    for (const secret of under.secrets) expect(JSON.stringify(check)).not.toContain(secret);
  });

  test("that are wrong", async () => {
    const failure = await failureOf(openSource(under, opened.standIn, under.wrong).check());
    expect(failure).toBeInstanceOf(SourceFailure);
    expect(failure.code).toBe("credentials_invalid");
    for (const secret of under.secrets) expect(wordsOf(failure)).not.toContain(secret);
  });

  const { half } = under;
  test.skipIf(half === null)("that lack a permission, by its name, and of the same account", async () => {
    if (half === null) return;
    opened.standIn.addMany(1, CLIP);
    const check = await openSource(under, opened.standIn, half.credentials).check();
    expect(check.missing).toEqual([
      expect.objectContaining({ isRequired: half.isRequired, permission: expect.stringMatching(half.permission) }),
    ]);
    expect(check.account).toBe((await opened.source.check()).account);
  });

  test("and changes nothing at the source", async () => {
    opened.standIn.addMany(1, CLIP);
    await opened.source.check();
    expect(opened.standIn.switched()).toEqual([]);
    expect(opened.standIn.videos.size).toBe(1);
  });
}
