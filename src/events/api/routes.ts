import { newRouter } from "../../platform/http/router.ts";
import { eventTypeRoutes } from "../catalogue/event-type-routes.ts";
import { requestLogRoutes } from "../request-log/request-log-routes.ts";
import { eventRoutes } from "../routes.ts";
import { eventRecordRoute } from "../webhooks/deliveries/event-record-route.ts";
import { webhookRoutes } from "../webhooks/routes.ts";

/** The routes of events, request logs and webhooks, in matching order. */
export const eventsRoutes = newRouter()
  .route("/", eventTypeRoutes)
  .route("/", eventRoutes)
  .route("/", eventRecordRoute)
  .route("/", requestLogRoutes)
  .route("/", webhookRoutes);
