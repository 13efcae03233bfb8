export { findStored } from "./stored-segment.ts";
