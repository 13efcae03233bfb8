export { listRequests, type LoggedRequest, RequestLogRecord, toRequestLog } from "./request-log-listing.ts";
