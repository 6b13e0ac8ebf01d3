// Client errors while processes are stopped under load: behind the proxy of infra/, and without one.
// npm run chaos:stop -- [--stops 20] [--direct-stops 5] [--rate 200] [--drain 1] [--port 9254]
// Needs nginx and openssl. Exits with 1 if a limit is missed.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findTool } from '../../tests/support/infra/tools.ts';
import { describeMachine } from '../support.ts';
import { createBars } from './bars.ts';
import { openPlace } from './place.ts';
import { describeTraffic, type StopResult, stopBehindProxy, stopDirectly } from './stopping.ts';

const { values } = parseArgs({
  options: {
    stops: { type: 'string', default: '20' },
    'direct-stops': { type: 'string', default: '5' },
    rate: { type: 'string', default: '200' },
    drain: { type: 'string', default: '1' },
    port: { type: 'string', default: '9254' },
  },
});
const [rate, drain_s, port] = [Number(values.rate), values.drain, Number(values.port)];
const bars = createBars();

const judge = (result: StopResult, exits: string) => {
  describeTraffic(bars, result, rate);
  bars.atMost('answers that began and broke off', result.counts.broken, 0);
  bars.atMost('processes that ended with another code than 0', result.ends.filter(({ code }) => code !== 0).length, 0);
  bars.atMost(exits, Math.max(0, ...result.ends.map(({ took_ms }) => took_ms)), 10_000, 'ms');
};

const place = await openPlace(port);
try {
  describeMachine();
  const nginx = findTool('openssl') === null ? null : findTool('nginx');
  if (nginx === null) throw new Error('nginx and openssl have to be installed');
  const stops = Number(values.stops);
  if (stops > 0) {
    console.log(`${stops} of two APIs and two sites behind the proxy, ${rate} requests/s, DRAIN_S=${drain_s}`);
    const result = await stopBehindProxy({ nginx, databaseUrl: place.url, stops, rate, drain_s });
    judge(result, 'from SIGTERM to the end, the wait of DRAIN_S included, slowest');
    bars.atMost('requests without a whole answer', result.counts.refused + result.counts.unanswered, 0);
    bars.atMost('answers other than 2xx', result.counts.other, 0);
  }
  const direct = Number(values['direct-stops']);
  if (direct > 0) {
    await sleep(500);
    console.log(`${direct} stops of one API without a proxy, ${rate} requests/s, DRAIN_S=${drain_s}`);
    const result = await stopDirectly({
      folder: place.folder,
      databaseUrl: place.url,
      port: port + 1,
      stops: direct,
      rate,
      drain_s,
    });
    judge(result, 'from SIGTERM to the end, slowest');
    // The kernel accepts connections that the process has not seen yet. They are lost with the listener, and a busier process
    // loses more of them. Only a proxy that polls /readyz can prevent that.
    bars.print('connections reset before an answer began', result.counts.unanswered);
    bars.atMost('answers other than 2xx', result.counts.other, 0);
    bars.print('refused connections, until the next process listens', result.counts.refused);
  }
} finally {
  await place.end();
}
bars.close();
