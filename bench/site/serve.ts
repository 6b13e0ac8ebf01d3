// The complete product without its worker on a generated directory, as a separate process: node bench/site/serve.ts DIR.
// Page responses list their API requests in `x-bench-calls`: lists of paths, each list requested concurrently.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createApp } from '../../apps/api/src/app.ts';
import { loadSite, type SiteMount } from '../../apps/api/src/site/site.ts';
import { openBuilt } from '../scale/open.ts';

/** The same site; every page reports its API requests. Requests that overlap in time count as concurrent. */
function tellingCalls(site: SiteMount): SiteMount {
  return {
    async respond(request, api) {
      const waves: string[][] = [];
      let open = 0;
      const response = await site.respond(request, {
        async fetch(asked) {
          if (open === 0) waves.push([]);
          const { pathname, search } = new URL(asked.url);
          waves.at(-1)?.push(pathname + search);
          open += 1;
          try {
            return await api.fetch(asked);
          } finally {
            open -= 1;
          }
        },
      });
      if (request.headers.has('x-bench')) response.headers.set('x-bench-calls', JSON.stringify(waves));
      return response;
    },
  };
}

const opened = await openBuilt(process.argv[2] ?? '');
const app = createApp(opened.deps, tellingCalls(await loadSite(opened.deps.publicUrl)));
const server = createServer(getRequestListener(app.fetch));
server.listen(0, '127.0.0.1', async () => {
  const { sql } = opened.deps.database;
  const [counts] =
    await sql`select (select count(*)::int from results) as results, (select count(*)::int from points) as points`;
  const systems = await sql<{ id: string }[]>`select id from systems order by md5(id) limit 200`;
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, ...counts, systems: systems.map(({ id }) => id) }));
});
process.on('SIGTERM', async () => {
  server.closeAllConnections();
  server.close();
  await opened.close();
  process.exit(0);
});
