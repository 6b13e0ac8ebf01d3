import type { NodeMiddleware } from '../response-cache/serve-cached.ts';
import { listen } from '../startup/listen.ts';

/** Serves an app on a local port. */
export async function serve(app: { fetch: Parameters<typeof listen>[0] }, serveCached?: NodeMiddleware) {
  const publicUrl = 'http://inferboard.test';
  const options = {
    host: '127.0.0.1',
    port: 0,
    publicUrl,
    ...(serveCached && { serveCached }),
    isDraining: () => false,
  };
  const { port, close } = await listen(app.fetch, options);
  return { url: `http://127.0.0.1:${port}`, close };
}
