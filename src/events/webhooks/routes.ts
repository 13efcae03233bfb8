import { newRouter } from "../../platform/http/router.ts";
import { deliveryActionRoutes } from "./deliveries/action-routes.ts";
import { deliveryRoutes } from "./deliveries/delivery-routes.ts";
import { endpointRoutes } from "./endpoints/routes.ts";
import { secretRoutes } from "./endpoints/secret-routes.ts";

/** All routes below `/v1/webhooks`, and the redelivery of an event. */
export const webhookRoutes = newRouter();
for (const routes of [endpointRoutes, secretRoutes, deliveryActionRoutes, deliveryRoutes])
  webhookRoutes.route("/", routes);
