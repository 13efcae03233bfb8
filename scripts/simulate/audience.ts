/** Viewers, their devices and their networks. Weights are shares in percent, from real audiences where these are known. */

const place = (
  weight: number,
  continent: string,
  country: string,
  region: string,
  asn: number,
  asOrganization: string,
) => ({
  weight,
  cf: { continent, country, region, asn, asOrganization },
});
export const PLACES = [
  place(22, "NA", "US", "California", 7922, "Comcast"),
  place(10, "NA", "US", "New York", 701, "Verizon"),
  place(4, "NA", "CA", "Ontario", 577, "Bell Canada"),
  place(12, "EU", "DE", "Bavaria", 3320, "Deutsche Telekom"),
  place(9, "EU", "IT", "Lombardy", 3269, "Telecom Italia"),
  place(9, "EU", "GB", "England", 2856, "British Telecom"),
  place(6, "EU", "FR", "Île-de-France", 3215, "Orange"),
  place(12, "AS", "IN", "Maharashtra", 55836, "Reliance Jio"),
  place(5, "AS", "JP", "Tokyo", 4713, "NTT"),
  place(6, "SA", "BR", "São Paulo", 26599, "Vivo"),
  place(3, "AF", "NG", "Lagos", 29465, "MTN Nigeria"),
  place(2, "OC", "AU", "New South Wales", 1221, "Telstra"),
];

const device = (weight: number, widthPx: number, heightPx: number, userAgent: string) => ({
  weight,
  widthPx,
  heightPx,
  userAgent,
});
const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const BLINK = "AppleWebKit/537.36 (KHTML, like Gecko)";
export const DEVICES = [
  device(26, 1280, 720, `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Chrome/148.0.0.0 Safari/537.36`),
  device(8, 1280, 720, `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${BLINK} Chrome/148.0.0.0 Safari/537.36`),
  device(7, 1280, 720, `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/26.0 Safari/605.1.15`),
  device(5, 1280, 720, "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"),
  device(27, 412, 232, `Mozilla/5.0 (Linux; Android 10; K) ${BLINK} Chrome/148.0.0.0 Mobile Safari/537.36`),
  device(
    19,
    390,
    219,
    `Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`,
  ),
  device(
    4,
    820,
    461,
    `Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X) ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`,
  ),
  device(4, 1920, 1080, `Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) ${BLINK} Version/8.0 TV Safari/537.36`),
];

/** `stalls` is the probability of each further stall, `failure` the probability of an error that ends the view. */
export const NETWORKS = [
  { weight: 62, name: "wifi", startupMs: 600, bitrateBps: 5_000_000, heightPx: 1080, stalls: 0.03, failure: 0.006 },
  { weight: 20, name: "cellular", startupMs: 1300, bitrateBps: 2_400_000, heightPx: 720, stalls: 0.15, failure: 0.015 },
  { weight: 12, name: "wired", startupMs: 400, bitrateBps: 6_000_000, heightPx: 1080, stalls: 0.01, failure: 0.004 },
  { weight: 6, name: "cellular", startupMs: 4200, bitrateBps: 700_000, heightPx: 360, stalls: 0.55, failure: 0.08 },
];

export const TITLES = [
  { weight: 30, title: "Harbour at dawn", durationMs: 372_000 },
  { weight: 20, title: "The lighthouse keeper", durationMs: 5_640_000 },
  { weight: 16, title: "How a lock works", durationMs: 198_000 },
  { weight: 12, title: "Tides, episode 1", durationMs: 1_560_000 },
  { weight: 9, title: "Tides, episode 2", durationMs: 1_610_000 },
  { weight: 8, title: "Sailing for beginners", durationMs: 884_000 },
  { weight: 5, title: "Storm warning", durationMs: 64_000 },
];

export const ERRORS = [
  { weight: 50, code: "2", message: "A network error stopped the download" },
  { weight: 25, code: "3", message: "The media could not be decoded" },
  { weight: 15, code: "4", message: "The manifest could not be loaded" },
  { weight: 10, code: "403", message: "Playback is not allowed" },
];
