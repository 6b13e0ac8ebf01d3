import { Hono } from 'hono';
import type { Deps } from './deps.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoutes } from './routes/metrics.ts';

/** For a process that answers nobody else, such as a worker alone: whether it lives, is ready, and its figures. */
export function createProbeApp(deps: Deps): Hono {
  return new Hono().route('/', healthRoutes(deps)).route('/', metricsRoutes(deps));
}
