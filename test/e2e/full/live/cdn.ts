import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** One request that the CDN answered. */
export interface CdnRequest {
  /** Path and query. */
  uri: string;
  status: number;
  /** nginx's cache status: MISS, HIT, EXPIRED, …; empty without the cache. */
  cache: string;
  wentToOrigin: boolean;
}

export interface Cdn {
  url: string;
  /** Every request so far. */
  requests: () => Promise<CdnRequest[]>;
  /** The number of requests to the origin, by path and query. */
  logOf: () => Promise<Map<string, number>>;
  stop: () => Promise<void>;
}

/** Longer than any test waits: after it, nginx sends a second request to the origin. */
const LOCKED = "120s";

/**
 * Debian's nginx as a stand-in for a CDN. It caches by the whole URI, exactly as long as the answer's headers say (no
 * `proxy_cache_valid`, nothing stale), and forwards one of the concurrent requests for a URI to the origin.
 */
export async function startCdn(originUrl: string): Promise<Cdn> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-cdn-"));
  const port = await freePort();
  await writeFile(join(folder, "nginx.conf"), configuration(folder, port, new URL(originUrl)));
  const child = spawn(process.env.NGINX ?? "/usr/sbin/nginx", ["-p", folder, "-c", "nginx.conf", "-e", "error.log"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([
    answering(`${url}/.cdn`),
    exited.then(([code]) => Promise.reject(new Error(`nginx ended: ${code}`))),
  ]);
  const requests = async () => (await readFile(join(folder, "access.log"), "utf8")).split("\n").flatMap(toRequest);
  return {
    url,
    requests,
    logOf: async () => {
      const counts = new Map<string, number>();
      for (const { uri, wentToOrigin } of await requests())
        if (wentToOrigin) counts.set(uri, (counts.get(uri) ?? 0) + 1);
      return counts;
    },
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, origin: URL): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
${process.getuid?.() === 0 ? `user ${userInfo().username};` : ""}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 8192; }
http {
  log_format line escape=json '{"uri":"$request_uri","status":$status,"cache":"$upstream_cache_status","upstream":"$upstream_addr"}';
  access_log ${folder}/access.log line;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join("\n")}
  proxy_cache_path ${folder}/cache levels=1:2 keys_zone=live:10m max_size=1g use_temp_path=off;
  keepalive_timeout 120s;
  keepalive_requests 1000000;
  upstream origin { server ${origin.host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /.cdn { access_log off; return 204; }
    location / {
      proxy_pass http://origin;
      proxy_set_header Host ${origin.host};
      proxy_set_header Connection "";
      proxy_http_version 1.1;
      proxy_read_timeout ${LOCKED};
      proxy_cache live;
      proxy_cache_key $request_uri;
      proxy_cache_lock on;
      proxy_cache_lock_age ${LOCKED};
      proxy_cache_lock_timeout ${LOCKED};
      proxy_cache_use_stale off;
    }
  }
}
`;
}

function toRequest(line: string): CdnRequest[] {
  if (line === "") return [];
  const { uri, status, cache, upstream } = JSON.parse(line) as Record<string, string>;
  return [{ uri: uri!, status: Number(status), cache: cache!, wentToOrigin: upstream !== "" && upstream !== "-" }];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Polls until the port answers: nginx does not report its start. */
async function answering(url: string): Promise<void> {
  for (;;) {
    const isThere = await fetch(url).then(
      ({ status }) => status === 204,
      () => false,
    );
    if (isThere) return;
    await pause(20);
  }
}
