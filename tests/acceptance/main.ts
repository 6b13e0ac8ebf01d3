// Tests a running service through its public API and reports which guarantees hold, for one process or many behind a proxy.
// It creates an account with the sample data and a measured run. Use it on an installation before it opens.
//   ADMIN_KEY=... npm run acceptance -- --url https://bench.example.org [--without-runs]
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { asking } from './asking.ts';
import { measuring } from './measuring.ts';
import { submitting } from './submitting.ts';
import type { World } from './world.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8787' },
    // A run needs an allowed endpoint on this machine: ENDPOINT_ALLOW_CIDRS=127.0.0.0/8.
    'without-runs': { type: 'boolean', default: false },
  },
});
const world: World = {
  url: values.url.replace(/\/+$/, ''),
  adminKey: process.env.ADMIN_KEY ?? '',
  key: '',
  accountName: `acceptance-${randomBytes(4).toString('hex')}`,
  submissions: [],
  systems: [],
};
const steps = [...submitting, ...asking, ...(values['without-runs'] ? [] : measuring)];
let failed = 0;
for (const [guarantee, check] of steps) {
  const started = performance.now();
  try {
    await check(world);
    console.log(`passed  ${guarantee} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${guarantee}\n        ${error instanceof Error ? error.message : error}`);
  }
}
console.log(`${steps.length - failed} of ${steps.length} guarantees hold at ${world.url}`);
process.exit(failed === 0 ? 0 : 1);
