import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../../src/events/catalogue/catalogue.ts";
import {
  checkTypePattern,
  expandPatterns,
  matchesTypes,
  resolveTypes,
} from "../../../src/events/catalogue/type-filter.ts";

const everyType = EVENT_KINDS.map(({ type }) => type).sort();

describe("the kinds that a pattern matches", () => {
  test.each([
    ["asset.ready", ["asset.ready"]],
    ["video.media.failed", ["asset.errored"]],
    ["video.media.ready", ["asset.ready", "live_stream.recording.ready"]],
    ["live_stream.recording.ready", ["live_stream.recording.ready"]],
    ["video.media.subtitle.generated.ready", ["ai.captions.ready"]],
    ["video.media.deleted", ["video.media.deleted"]],
    ["asset.*", ["asset.created", "asset.errored", "asset.ready"]],
    ["live_stream.*", ["live_stream.connected", "live_stream.disconnected", "live_stream.recording.ready"]],
    ["playback.*", ["playback.completed", "playback.errored"]],
    ["webhook.*", ["webhook.delivery.exhausted", "webhook.disabled"]],
    ["video.media.upload.*", ["video.media.upload.cancelled"]],
    ["video.playback_id.*", ["video.playback_id.created", "video.playback_id.deleted"]],
    ["*", everyType],
  ])("%s", (pattern, types) => {
    expect(resolveTypes(pattern)).toEqual(types);
    expect(checkTypePattern(pattern)).toEqual({ ok: true, types });
  });

  test("a prefix of the video naming matches the kinds that only have the name there", () => {
    const types = resolveTypes("video.media.*");
    expect(types).toEqual(expect.arrayContaining(["asset.ready", "ai.captions.ready", "video.media.track.created"]));
    expect(types).not.toContain("video.mediaAI.summary.ready");
    expect(types).not.toContain("video.upload.media_created");
  });

  test("a stream's video prefix matches its connections, but not its recording, which is a media", () => {
    const types = resolveTypes("video.live_stream.*");
    expect(types).toEqual(expect.arrayContaining(["live_stream.connected", "video.live_stream.idle"]));
    expect(types).not.toContain("live_stream.recording.ready");
  });
});

describe("an invalid pattern", () => {
  const misplaced = 'takes "*" alone or at the end of a prefix, after a dot, as in "video.media.*"';
  test.each([
    ["", "is not a kind of event"],
    ["asset", "is not a kind of event"],
    ["asset.", "is not a kind of event"],
    ["asset.melted", "is not a kind of event"],
    ["Asset.Ready", "is not a kind of event"],
    [" asset.ready", "is not a kind of event"],
    ["asset.ready\n", "is not a kind of event"],
    ["toString", "is not a kind of event"],
    ["__proto__", "is not a kind of event"],
    ["asset.ready.*", "matches no kind of event"],
    ["video.media.track.*.*", misplaced],
    [".*", "matches no kind of event"],
    ["weather.*", "matches no kind of event"],
    ["asset*", misplaced],
    ["asset.re*", misplaced],
    ["**", misplaced],
    ["*.ready", misplaced],
    ["video.*.ready", misplaced],
  ])("%j", (pattern, message) => {
    expect(resolveTypes(pattern)).toEqual([]);
    expect(checkTypePattern(pattern)).toEqual({ ok: false, message, hint: expect.stringContaining(message) });
  });

  test("that is very long is refused as quickly as a short one", () => {
    const startedAt = performance.now();
    expect(checkTypePattern(`${"video.".repeat(40_000)}*`).ok).toBe(false);
    expect(checkTypePattern("*".repeat(200_000)).ok).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe("matching", () => {
  test.each([
    [[], "asset.ready", true],
    [[], "left.the.catalogue", true],
    [["*"], "left.the.catalogue", true],
    [["video.media.ready"], "live_stream.recording.ready", true],
    [["video.media.ready"], "asset.created", false],
    [["asset.*"], "asset.created", true],
    [["asset.*"], "video.media.updated", false],
    [["playback.*", "video.media.updated"], "video.media.updated", true],
    [["left.*"], "left.the.catalogue", true],
    [["no.such.kind"], "asset.ready", false],
  ])("%j and %s: %s", (patterns, type, matches) => {
    expect(matchesTypes(patterns, type)).toBe(matches);
  });
});

describe("the list that a webhook stores", () => {
  test.each([
    [[], null],
    [["*"], null],
    [["asset.ready", "*"], null],
    [
      ["video.media.ready", "asset.*"],
      ["asset.created", "asset.errored", "asset.ready", "live_stream.recording.ready"],
    ],
    [
      ["asset.ready", "asset.ready", "video.media.ready"],
      ["asset.ready", "live_stream.recording.ready"],
    ],
    [["gone.from.the.catalogue"], []],
  ])("%j", (patterns, types) => {
    expect(expandPatterns(patterns)).toEqual(types);
  });

  const lists = [
    ["video.*"],
    ["asset.*", "ai.*"],
    ["video.media.track.*", "playback.errored"],
    ["video.media.ready"],
    [],
  ];
  test.each(lists.map((patterns) => [patterns]))("%j selects the same kinds in SQL as in the Worker", (patterns) => {
    const stored = expandPatterns(patterns);
    const bySql = everyType.filter((type) => stored === null || stored.includes(type));
    expect(bySql).toEqual(everyType.filter((type) => matchesTypes(patterns, type)));
  });
});

test.each([
  ["asset.redy", "is not a kind of event; did you mean `asset.ready`?"],
  ["video.media.raedy", "is not a kind of event; did you mean `video.media.ready`?"],
  ["video.medai.*", "matches no kind of event; did you mean `video.media.*`?"],
  ["weather", "is not a kind of event; GET /v1/event-types lists them"],
])("the hint for %j names the nearest kind or prefix", (pattern, hint) => {
  expect(checkTypePattern(pattern)).toMatchObject({ ok: false, hint });
});
