/** The page's settings for pictures of its media. */
export interface Images {
  /** "poster", and "previews" where a sprite sheet is there. */
  offered: string;
  /** URL of a picture of the playback ID, with parameters. */
  address: (file: string, parameters: Record<string, string>) => string;
  /** Time of the poster, in seconds; null = the default. */
  posterTime: string | null;
  /** The poster is the newest picture of a broadcast, which is there in one size. */
  isLive: boolean;
}

/** Largest edge of a poster; a wider player shows it enlarged until playback. */
const MAX_POSTER_PX = 1280;

/**
 * Shows the poster until playback, and previews above the time line: while the pointer is over it, and while a finger or the pointer drags it.
 * media-chrome takes previews from a text track of this label.
 */
export function showImages(video: HTMLVideoElement, { offered, address, posterTime, isLive }: Images): void {
  if (offered.includes("poster")) {
    const width = Math.min(MAX_POSTER_PX, Math.ceil((innerWidth * devicePixelRatio) / 160) * 160);
    const asked = { width: String(width), ...(posterTime === null ? {} : { time: posterTime }) };
    video.poster = address("thumbnail.jpg", isLive ? {} : asked);
    if (posterTime !== null && !isLive) useDefaultIfRefused(video, address("thumbnail.jpg", { width: String(width) }));
  }
  if (!offered.includes("previews")) return;
  const track = document.createElement("track");
  Object.assign(track, { kind: "metadata", label: "thumbnails", default: true, src: address("storyboard.vtt", {}) });
  video.append(track);
}

/** The time that the page's address asks for may be past the end. */
function useDefaultIfRefused(video: HTMLVideoElement, defaultPoster: string): void {
  const asked = new Image();
  asked.addEventListener("error", () => (video.poster = defaultPoster));
  asked.src = video.poster;
}

/** @param base path of the playback ID */
export const addressOf =
  (base: string, token: string | null): Images["address"] =>
  (file, parameters) => {
    const query = new URLSearchParams(token === null ? parameters : { ...parameters, token });
    return query.size > 0 ? `${base}/${file}?${query}` : `${base}/${file}`;
  };
