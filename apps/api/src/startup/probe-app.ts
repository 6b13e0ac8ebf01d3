import { Hono } from 'hono';
import { metricsRoutes } from '../catalogue/metrics-routes.ts';
import type { Deps } from '../deps.ts';
import { healthRoutes } from './health-routes.ts';

/** Liveness, readiness and metrics of a process without other routes, such as a worker. */
export function createProbeApp(deps: Deps): Hono {
  return new Hono().route('/', healthRoutes(deps)).route('/', metricsRoutes(deps));
}
