export { sweepUploads } from "./sweep-uploads.ts";
