export { log, logError, logWarning } from "../../protocol/log.ts";
