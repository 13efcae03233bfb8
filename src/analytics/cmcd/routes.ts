import { newRouter } from "../../platform/http/router.ts";
import { beaconPreflight } from "../beacons/answer-beacon.ts";
import { receiveCmcd } from "./receive-cmcd.ts";

export const cmcdRoutes = newRouter();
cmcdRoutes.post("/cmcd/:playbackId", (c) => receiveCmcd(c.req.raw, c.env, c.req.param("playbackId")));
cmcdRoutes.options("/cmcd/:playbackId", () => beaconPreflight());
