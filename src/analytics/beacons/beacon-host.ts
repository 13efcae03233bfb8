/** `{workspaceKey}.{beaconDomain}`, the address to which SDKs send beacons (media contract, analytics). Pure. */

/** @returns the workspace key; null = the host is not below the domain */
export function workspaceKeyIn(host: string, beaconDomain: string): string | null {
  const suffix = `.${beaconDomain.toLowerCase()}`;
  const name = host.toLowerCase();
  const label = name.endsWith(suffix) ? name.slice(0, -suffix.length) : "";
  return label === "" || label.includes(".") ? null : label;
}
