import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../../src/events/catalogue/catalogue.ts";
import { EventEnvelope } from "../../../src/events/catalogue/envelope.ts";
import { type ErrorBody, newWorkspace, send } from "../workspace.ts";
import { ENVELOPE_FIELDS } from "../../support/envelope.ts";

interface EventTypesAnswer {
  success: true;
  data: { type: string; videoType: string; area: string; objectType: string; description: string; example: unknown }[];
}

describe("GET /v1/event-types", () => {
  test("lists every kind once, under both names", async () => {
    const workspace = await newWorkspace();
    const response = await workspace.request("GET", "/v1/event-types");
    expect(response.status).toBe(200);
    const { success, data } = await response.json<EventTypesAnswer>();
    expect(success).toBe(true);
    expect(data.map(({ type, videoType }) => [type, videoType])).toEqual(
      EVENT_KINDS.map(({ type, videoType }) => [type, videoType]),
    );
    expect(data.find(({ type }) => type === "asset.ready")).toMatchObject({
      videoType: "video.media.ready",
      area: "media",
      objectType: "media",
      description: expect.stringMatching(/\.$/) as string,
    });
  });

  test("has a complete example envelope for each kind", async () => {
    const workspace = await newWorkspace();
    const { data } = await (await workspace.request("GET", "/v1/event-types")).json<EventTypesAnswer>();
    for (const { type, example } of data) {
      const envelope = EventEnvelope.strict().parse(example);
      expect(envelope.type).toBe(type);
      expect(Object.keys(example as object)).toEqual(ENVELOPE_FIELDS);
    }
  });

  test("filters by area", async () => {
    const workspace = await newWorkspace();
    const response = await workspace.request("GET", "/v1/event-types?area=webhook");
    const { data } = await response.json<EventTypesAnswer>();
    expect(data.map(({ type }) => type)).toEqual(["webhook.delivery.exhausted", "webhook.disabled"]);
  });

  test("refuses an unknown area and names the field", async () => {
    const workspace = await newWorkspace();
    const response = await workspace.request("GET", "/v1/event-types?area=weather");
    expect(response.status).toBe(422);
    expect((await response.json<ErrorBody>()).error.fields).toEqual([{ field: "area", message: "is invalid" }]);
  });

  test("requires credentials", async () => {
    expect((await send(new Request("http://sluice.test/v1/event-types"))).status).toBe(401);
  });

  test("is in the OpenAPI document, with the envelope as a component", async () => {
    const response = await send(new Request("http://sluice.test/v1/openapi.json"));
    const { paths, components } = await response.json<{
      paths: Record<string, { get?: { operationId: string } }>;
      components: { schemas: Record<string, { required?: string[] }> };
    }>();
    expect(paths["/v1/event-types"]?.get?.operationId).toBe("list-event-types");
    expect(components.schemas["Event"]?.required).toContain("event_id");
  });
});
