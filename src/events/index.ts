export { insertEvent, type NewEvent } from "./repository.ts";
