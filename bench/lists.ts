/** Pages of a workspace with very many media, compared with the first page of a small workspace in the same database. */
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import type { Figure } from "./support/figures.ts";
import { compare, type Load } from "./support/load.ts";

const LARGE = Number(process.env.BENCH_ASSETS ?? 1_000_000);
const SMALL = 1000;
const PAGE_SIZE = 50;
const DISTANT_PAGE = Math.min(1000, LARGE / PAGE_SIZE);

async function seed({ baseUrl }: BenchHost, assetCount: number): Promise<(page: number) => Load> {
  const seeded = await fetch(`${baseUrl}/bare/workspace/${assetCount}`, { method: "POST" });
  const { authorization } = (await seeded.json()) as { authorization: string };
  return (page) => ({
    method: "GET",
    path: `/v1/on-demand?limit=${PAGE_SIZE}&offset=${page}`,
    headers: { authorization },
    status: 200,
  });
}

export async function run(): Promise<Figure[]> {
  const host = await startBenchHost();
  const figures: Figure[] = [];
  try {
    const [small, large] = [await seed(host, SMALL), await seed(host, LARGE)];
    const cases = [
      { name: "the first page", page: 1, most: 1.2 },
      { name: `page ${DISTANT_PAGE}`, page: DISTANT_PAGE, most: 3 },
    ];
    for (const { name, page, most } of cases) {
      const { ratio, productPerSecond, yardstickPerSecond, rounds } = await compare(
        host.baseUrl,
        large(page),
        small(1),
      );
      const times = 1 / ratio;
      console.error(`  ${name}: ${times.toFixed(2)} ×`);
      figures.push({
        name: `${name} of ${LARGE.toLocaleString("en")} media, ${PAGE_SIZE} on a page`,
        value: `${times.toFixed(2)} × the time (${Math.round(productPerSecond)} a second)`,
        yardstick: `the first page of ${SMALL.toLocaleString("en")} media: ${Math.round(yardstickPerSecond)}`,
        aim: `≤ ${most} ×`,
        isMet: times <= most,
        raw: rounds,
      });
    }
  } finally {
    await host.stop();
  }
  return figures;
}
