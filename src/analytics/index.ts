export { workspaceKeyIn } from "./beacons/beacon-host.ts";
export { beaconPreflight, receiveBeacon } from "./beacons/receive-beacon.ts";
