/** Facts about a viewer that the edge knows and the player's SDK does not send. The IP address is not one of them: it is never stored. */
export interface EdgeFacts {
  continent: string | null;
  country: string | null;
  region: string | null;
  asnId: number | null;
  asnName: string | null;
  browserName: string | null;
  /** Name and major version: "Chrome 148". */
  browserVersion: string | null;
  osName: string | null;
  /** Name and version: "MacOS 10.15.7". */
  osVersion: string | null;
  deviceName: string | null;
  deviceModel: string | null;
  deviceManufacturer: string | null;
  deviceType: string | null;
  browserEngine: string | null;
  userAgent: string | null;
}
