export { signPlaybackToken } from "./sign-token.ts";
