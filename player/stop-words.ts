/** What the page says after playback has stopped, by the reason (`ErrorDetails` of hls.js). Pure. */
export interface StopWords {
  heading: string;
  text: string;
  /** To load the page again may help. */
  mayRetry: boolean;
}

const NAMES: Record<string, string> = { clearkey: "ClearKey", widevine: "Widevine", fairplay: "FairPlay" };

/**
 * @param reason error of hls.js, or the code of a `MediaError`
 * @param keySystems those of the page's media, separated by spaces
 * @param isSecure browsers decrypt media on secure pages only
 */
export function stopWords(reason: string, keySystems: string, isSecure: boolean): StopWords {
  if (reason === "keySystemNoAccess") {
    const heading = "This browser cannot play this video";
    if (!isSecure) return { heading, text: "The video is protected, and plays over HTTPS only.", mayRetry: false };
    const names = keySystems.split(" ").map((name) => NAMES[name] ?? name);
    return { heading, text: `It is protected with ${names.join(" or ")}, which this browser lacks.`, mayRetry: false };
  }
  if (reason === "keySystemStatusOutputRestricted")
    return {
      heading: "This screen cannot show this video",
      text: "It is protected, and the screen or its connection does not support the protection (HDCP).",
      mayRetry: true,
    };
  if (reason.startsWith("keySystem"))
    return {
      heading: "This video could not be unlocked",
      text: "It is protected, and the licence was refused or not answered.",
      mayRetry: true,
    };
  if (reason === "manifestIncompatibleCodecsError")
    return {
      heading: "This browser cannot play this video",
      text: "It supports none of the video's formats.",
      mayRetry: false,
    };
  return { heading: "Playback stopped", text: "The video could not be loaded.", mayRetry: true };
}
