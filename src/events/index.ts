export { eventBytes, findEvent, insertEvent, type NewEvent } from "./repository.ts";
