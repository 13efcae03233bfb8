export { workspaceKeyIn } from "./beacons/beacon-host.ts";
export { beaconPreflight } from "./beacons/answer-beacon.ts";
export { receiveBeacon } from "./beacons/receive-beacon.ts";
