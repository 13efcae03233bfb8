import { LARGEST_SITE, networkOf } from "../../../protocol/network-of.ts";

/** The network of a peer, as the Worker counts networks: an IPv4 address or an IPv6 /48. @param remote "address:port" */
export const networkOfRemote = (remote: string): string =>
  networkOf(remote.slice(0, remote.lastIndexOf(":")), LARGEST_SITE);
