import { describe, expect, test } from "vitest";
import { describeRoute } from "../../../../src/events/request-log/request-log.ts";

describe("the route and ids of a request", () => {
  test.each([
    ["/v1/on-demand", "/v1/on-demand", "/v1/on-demand", []],
    ["/v1/on-demand/:mediaId", "/v1/on-demand/one", "/v1/on-demand/{mediaId}", ["one"]],
    [
      "/v1/on-demand/:mediaId/tracks/:trackId",
      "/v1/on-demand/one/tracks/two",
      "/v1/on-demand/{mediaId}/tracks/{trackId}",
      ["one", "two"],
    ],
    ["/v1/things/:id{[0-9]+}", "/v1/things/12", "/v1/things/{id}", ["12"]],
    ["/v1/things/:id?", "/v1/things", "/v1/things/{id}", [""]],
  ])("are read with the pattern %s from %s", (pattern, path, route, ids) => {
    expect(describeRoute(pattern, path)).toEqual({ route, ids });
  });

  test("are unknown for a path without a route, which may contain anything", () => {
    expect(describeRoute(null, "/v1/on-demand-typo/sk_live_secret")).toEqual({ route: "unknown", ids: [] });
  });

  test("have UUIDs in lower case", () => {
    const id = "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205";
    const idsOf = (text: string) => describeRoute("/v1/on-demand/:mediaId", `/v1/on-demand/${text}`).ids;
    expect(idsOf(id.toUpperCase())).toEqual([id]);
    expect(idsOf(id.replaceAll("-", "%2D"))).toEqual([id]);
    expect(idsOf("Not-A-UUID")).toEqual(["Not-A-UUID"]);
  });

  test("are cut when long, and survive an invalid escape", () => {
    const idsOf = (text: string) => describeRoute("/v1/on-demand/:mediaId", `/v1/on-demand/${text}`).ids;
    expect(idsOf("x".repeat(5000))).toEqual(["x".repeat(64)]);
    expect(idsOf("%E0%A4%A")).toEqual(["%E0%A4%A"]);
  });
});
