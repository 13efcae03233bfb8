import { newRouter } from "../../platform/http/router.ts";
import { beaconPreflight } from "./answer-beacon.ts";
import { receiveBeacon } from "./receive-beacon.ts";

/** Receives beacons on the API's host, for owners without a wildcard host for beacons. */
export const beaconRoutes = newRouter();
beaconRoutes.post("/beacons/:workspaceKey", (c) => receiveBeacon(c.req.raw, c.env, c.req.param("workspaceKey")));
beaconRoutes.options("/beacons/:workspaceKey", () => beaconPreflight());
