import type { WranglerConfig } from "./config.ts";
import type { DeploySettings } from "./settings.ts";

/** The settings of a deployment that its owner should check, one line each. @param config derived from the settings */
export function settingLines(settings: DeploySettings, config: WranglerConfig): string[] {
  return [
    line("address", settings.workersDev ? `${settings.name} on workers.dev` : "not on workers.dev"),
    line("routes", settings.routes.map(routeText).join(", ") || "none"),
    line("publicUrl", settings.publicUrl ?? "not set: that of each request"),
    line("encoders", encodersText(settings, config)),
    ...(settings.viewStream === undefined
      ? []
      : [line("views", `stream ${settings.viewStream}, table ${settings.vars["R2_SQL_TABLE"]} of R2 SQL`)]),
  ];
}

const line = (name: string, value: string) => `${"use".padEnd(8)}${name.padEnd(13)}${value}`;

const routeText = (route: DeploySettings["routes"][number]) =>
  typeof route === "string" ? `${route} (custom domain)` : `${route.pattern} (zone ${route.zone_name})`;

/** `ENCODER_URL` is used even where containers exist. */
function encodersText(settings: DeploySettings, { containers }: WranglerConfig): string {
  const url = settings.vars["ENCODER_URL"] ?? "";
  if (url !== "" && settings.containers)
    return `${url} alone: with ENCODER_URL, the Containers of "containers": true are deployed and get no jobs`;
  if (url !== "") return url;
  const { max_instances, instance_type } = containers?.[0] ?? {};
  const type = typeof instance_type === "string" ? instance_type : JSON.stringify(instance_type);
  return `at most ${max_instances} Containers of ${type}`;
}
