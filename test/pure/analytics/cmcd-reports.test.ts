import { describe, expect, test } from "vitest";
import { readReports } from "../../../src/analytics/cmcd/cmcd-reports.ts";

const line = (more: string, sn = 3) => `e=ps,sid="5f1c",sn=${sn},ts=1779278651000,v=2,${more}`;

test("a report becomes an event with the fields of beacons, in bit/s and ms", () => {
  const all = 'sta=p,pt=4100,msd=312,br=(2400;v 128;a),mtp=(8100),dfa=2,ltc=2100,sf=h,st=ll,cdn="edge-1",cid="film"';
  expect(readReports(line(all))).toEqual({
    reports: [
      {
        sessionId: "5f1c",
        sequence: 4,
        name: "playing",
        isPassive: false,
        viewerAtMs: 1_779_278_651_000,
        fields: {
          player_playhead_time: 4100,
          view_time_to_first_frame: 312,
          view_dropped_frame_count: 2,
          live_stream_latency: 2100,
          view_avg_request_throughput: 8_100_000,
          video_source_bitrate: 2_400_000,
          video_source_type: "application/x-mpegurl",
          video_stream_type: "live",
          video_cdn: "edge-1",
          video_id: "film",
        },
      },
    ],
    refused: {},
  });
});

test.each([
  ["s", "play"],
  ["p", "playing"],
  ["k", "seeking"],
  ["r", "waiting"],
  ["w", "waiting"],
  ["a", "pause"],
  ["e", "ended"],
  ["f", "error"],
  ["q", "viewCompleted"],
])("state %s is the event %s", (state, name) => {
  expect(readReports(line(`sta=${state}`)).reports[0]?.name).toBe(name);
});

test.each(["constructor", "toString", "__proto__"])("a state that only objects have, %s, is none", (state) => {
  expect(readReports(line(`sta=${state}`)).reports).toEqual([]);
});

test.each(["constructor", "toString"])("a format that only objects have, %s, is none", (word) => {
  const [report] = readReports(line(`sta=p,sf=${word},st=${word}`)).reports;
  expect(report?.name).toBe("playing");
  expect(Object.keys(report!.fields)).not.toContain("video_source_type");
  expect(Object.keys(report!.fields)).not.toContain("video_stream_type");
});

test("an error has its code, a switch its bitrate, and a regular report of a playing player is a pulse", () => {
  const body = [
    'e=e,sid="a",sn=1,ts=1,sta=f,ec=("fragLoadError")',
    'e=bc,sid="a",sn=2,ts=1,sta=p,br=(900)',
    'e=t,sid="a",sn=3,ts=1,sta=p',
  ].join("\n");
  const { reports } = readReports(body);
  expect(reports.map(({ name }) => name)).toEqual(["error", "variantChanged", "pulse"]);
  expect(reports[0]?.fields).toEqual({ player_error_code: "fragLoadError" });
  expect(reports[1]?.fields).toEqual({ video_source_bitrate: 900_000 });
});

test("reports that are not about a view are skipped without being counted: preloading, requests, intervals of a stopped player", () => {
  const body = [
    line("sta=d"),
    'e=rr,sid="a",sn=1,ts=1,sta=p',
    'e=t,sid="a",sn=2,ts=1,sta=a',
    'e=t,sid="a",sn=2,ts=1,sta=e',
    'e=bc,sid="a",sn=2,ts=1,sta=d,br=(900)',
    'sid="a",sn=2,sta=p',
    'e=ps,sid="a",sn=2',
  ].join("\n");
  expect(readReports(body)).toEqual({ reports: [], refused: {} });
});

test("for a player without states, the report with the start delay is the start, and other reports begin no view", () => {
  const body = ['e=bc,sid="a",sn=0,ts=1,br=(900)', 'e=t,sid="a",sn=1,ts=1,msd=1910', 'e=e,sid="a",sn=2,ts=1'].join(
    "\n",
  );
  expect(readReports(body).reports.map(({ name, isPassive }) => [name, isPassive])).toEqual([
    ["pulse", true],
    ["playing", false],
    ["error", false],
  ]);
});

describe("unusable lines are counted", () => {
  test.each([
    ["<html>", "not_cmcd"],
    ["e=ps,sn=1,sta=p", "no_session_id"],
    ['e=ps,sid="",sn=1,sta=p', "no_session_id"],
    ['e=ps,sid="a",sta=p', "no_sequence_number"],
    ['e=ps,sid="a",sn=-1,sta=p', "no_sequence_number"],
    ['e=ps,sid="a",sn=1.5,sta=p', "no_sequence_number"],
    ['e=ps,sid="a",sn=999999999,sta=p', "no_sequence_number"],
    [`e=ps,sid="${"a".repeat(9000)}",sn=1,sta=p`, "too_large"],
    ['e=ps,sid="a"; drop table,sn=1', "not_cmcd"],
  ])("%.40s: %s", (body, reason) => {
    expect(readReports(body)).toEqual({ reports: [], refused: { [reason]: 1 } });
  });

  test("the other lines of a body are used, up to 1,000", () => {
    const body = ["nonsense=", ...Array.from({ length: 1100 }, (_, sn) => line("sta=p", sn))].join("\n");
    const { reports, refused } = readReports(body);
    expect([reports.length, refused]).toEqual([999, { not_cmcd: 1, too_many_events: 101 }]);
  });
});
