import { describe, expect, test } from "vitest";
import {
  CATALOGUE,
  CATALOGUE_VERSION,
  EVENT_KINDS,
  isEventType,
  kindOf,
  nameIn,
  versionOf,
} from "../../../src/events/catalogue/catalogue.ts";
import { EventEnvelope, exampleEvent } from "../../../src/events/catalogue/envelope.ts";
import { SAMPLE_OBJECT_IDS } from "../../../src/events/catalogue/samples.ts";
import { CONTRACT_NAMES, SPECIFICATION_NAMES } from "./contract-names.ts";

const ALIASES = {
  "asset.created": "video.media.created",
  "asset.ready": "video.media.ready",
  "asset.errored": "video.media.failed",
  "live_stream.connected": "video.live_stream.connected",
  "live_stream.disconnected": "video.live_stream.disconnected",
  "live_stream.recording.ready": "video.media.ready",
  "ai.captions.ready": "video.media.subtitle.generated.ready",
};

describe("the names", () => {
  test("every name of the contract is the name of a kind in one of the namings", () => {
    expect(CONTRACT_NAMES).toHaveLength(62);
    const known = new Set(EVENT_KINDS.flatMap(({ type, videoType }) => [type as string, videoType]));
    expect(CONTRACT_NAMES.filter((name) => !known.has(name))).toEqual([]);
  });

  test("only six kinds are not in the contract, about webhooks, alerts and running migrations", () => {
    const known = new Set(CONTRACT_NAMES);
    const own = EVENT_KINDS.flatMap(({ type, videoType }) => [type, videoType]).filter((name) => !known.has(name));
    expect(new Set(own)).toEqual(
      new Set([
        "webhook.delivery.exhausted",
        "webhook.disabled",
        "data.alert.triggered",
        "data.alert.recovered",
        "migration.batch.started",
        "migration.batch.progress",
      ]),
    );
  });

  test("the specification's kinds have its names, and its alias is an alias", () => {
    for (const [name, type] of Object.entries(SPECIFICATION_NAMES)) {
      expect(isEventType(type)).toBe(true);
      expect([CATALOGUE[type].type, CATALOGUE[type].videoType]).toContain(name);
    }
  });

  test("seven kinds have another name in the video naming, the others the same", () => {
    const aliased = EVENT_KINDS.filter(({ type, videoType }) => type !== videoType);
    expect(Object.fromEntries(aliased.map(({ type, videoType }) => [type, videoType]))).toEqual(ALIASES);
  });

  test("no kind's name is the alias of another", () => {
    const aliases = new Set<string>(Object.values(ALIASES));
    expect(EVENT_KINDS.filter(({ type }) => aliases.has(type))).toEqual([]);
  });

  test.each([
    ["service", "asset.errored", "asset.errored"],
    ["video", "asset.errored", "video.media.failed"],
    ["video", "video.media.deleted", "video.media.deleted"],
    ["video", "playback.completed", "playback.completed"],
    ["video", "left.the.catalogue", "left.the.catalogue"],
    ["video", "toString", "toString"],
  ] as const)("in the %s naming, %s is sent as %s", (naming, type, name) => {
    expect(nameIn(naming, type)).toBe(name);
  });

  test.each(["video.media.ready", "asset.melted", "toString", ""])("%j is not a kind that can be sent", (type) => {
    expect(() => kindOf(type)).toThrow("unknown kind of event");
  });

  test("the version changes with the kinds and names, and not with their order", () => {
    const [first, ...others] = EVENT_KINDS;
    const renamed = { type: first!.type, videoType: "video.media.made" };
    expect(CATALOGUE_VERSION).toMatch(/^[0-9a-f]{8}$/);
    expect(versionOf([...others, first!])).toBe(CATALOGUE_VERSION);
    expect(new Set([CATALOGUE_VERSION, versionOf(others), versionOf([...others, renamed])]).size).toBe(3);
  });
});

describe.each(EVENT_KINDS.map((kind) => [kind.type, kind] as const))("%s", (type, kind) => {
  test("has an example that matches its schema", () => {
    expect(kind.data.parse(kind.example)).toEqual(kind.example);
  });

  test("allows no field that is not in its schema", () => {
    const more = { ...(kind.example as object), surprise: true };
    expect(kind.data.safeParse(more).success).toBe(false);
  });

  test("has a description of one sentence and a status of one word", () => {
    expect(kind.when).toMatch(/^[A-Z`].*[^.]\.$/);
    expect(kind.status).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  test("has an example envelope with the example's object", () => {
    const event = exampleEvent(type, "video");
    expect(EventEnvelope.strict().parse(event)).toEqual(event);
    expect(event.type).toBe(kind.videoType);
    expect(event.object).toEqual({ type: kind.objectType, id: SAMPLE_OBJECT_IDS[kind.objectType] });
  });

  test("has times with microseconds, like the API", () => {
    const times = JSON.stringify(kind.example).match(/\d{4}-\d\d-\d\dT[^"]*/g) ?? [];
    expect(times.filter((time) => !/T\d\d:\d\d:\d\d\.\d{6}Z$/.test(time))).toEqual([]);
  });
});

test("a change of an example by a caller does not affect the next one", () => {
  exampleEvent("asset.ready").data["id"] = "changed";
  expect(exampleEvent("asset.ready").data["id"]).toBe(SAMPLE_OBJECT_IDS.media);
});

describe("the data of media events", () => {
  test.each(["asset.created", "asset.ready", "asset.errored", "video.media.updated"] as const)(
    "%s carries the media whose event it is",
    (type) => {
      const { data, object, workspace } = exampleEvent(type);
      expect(data).toMatchObject({ id: object.id, workspaceId: workspace.id });
    },
  );

  test("has no progress, which would be outdated on arrival", () => {
    const progress = { percent: 10, stage: "encoding", renditions: [] };
    expect(CATALOGUE["asset.ready"].data.safeParse({ ...exampleEvent("asset.ready").data, progress }).success).toBe(
      false,
    );
  });

  test("a recording has its stream in addition to the media", () => {
    const { data, object } = exampleEvent("live_stream.recording.ready");
    expect(object.type).toBe("media");
    expect(data["id"]).toBe(object.id);
    expect(data["streamId"]).toBe(SAMPLE_OBJECT_IDS.live);
  });

  test("a watermark's event has the watermark in its data and the media in its object", () => {
    const { data, object } = exampleEvent("video.media.watermark.ready");
    expect(object.id).toBe(SAMPLE_OBJECT_IDS.media);
    expect(data["id"]).not.toBe(object.id);
  });
});
