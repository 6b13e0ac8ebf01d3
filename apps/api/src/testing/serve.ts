import type { Early } from '../answer-cache/early.ts';
import { listen } from '../startup/listen.ts';

/** Serves an app on a local port. */
export async function serve(app: { fetch: Parameters<typeof listen>[0] }, early?: Early) {
  const publicUrl = 'http://inferboard.test';
  const options = { host: '127.0.0.1', port: 0, publicUrl, ...(early && { early }), isDraining: () => false };
  const { port, close } = await listen(app.fetch, options);
  return { url: `http://127.0.0.1:${port}`, close };
}
