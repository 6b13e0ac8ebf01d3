// Measures llama.cpp's server with a small random model, and compares the load generator's figures with the server's
// log: with the generator's core, through the measure command, and in managed runs. Needs a built llama-server (build.sh
// builds one):
//   npm run check:llama-cpp -- PATH/llama-server [--requests 500] [--through core,command,managed]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { endpoints } from '../../packages/loadgen/src/prompts/body.ts';
import { compare, type MeasuredRequest } from './compare.ts';
import { type Load, loadsOf, nameOf, slots } from './loads.ts';
import { startLlamaServer } from './server.ts';
import { measureThroughCommand } from './through-command.ts';
import { measureThroughCore } from './through-core.ts';
import { startMeasuringService } from './through-service.ts';

const { values, positionals } = parseArgs({
  options: {
    requests: { type: 'string', default: '500' },
    through: { type: 'string', default: 'core,command,managed' },
  },
  allowPositionals: true,
});
const program = positionals[0];
if (program === undefined) {
  console.error(
    'usage: npm run check:llama-cpp -- PATH/llama-server [--requests 500] [--through core,command,managed]',
  );
  process.exit(2);
}
const ways = values.through.split(',');
/** Time for the log line that follows each response, ms. */
const logMs = 500;

const folder = await mkdtemp(join(tmpdir(), 'inferboard-llama-cpp-'));
const server = await startLlamaServer(program, join(folder, 'tiny.gguf'), slots);
const url = `http://127.0.0.1:${server.port}`;
let broken = 0;

async function check(way: string, measure: (load: Load) => Promise<MeasuredRequest[]>): Promise<void> {
  for (const load of loadsOf(Number(values.requests))) {
    server.takeLog();
    const measured = await measure(load);
    await sleep(logMs);
    // Requests before the load, which find out about the server, have shorter responses.
    const log = server.takeLog().filter(({ tokens }) => tokens >= load.tokens);
    const { line, faults } = compare(measured, log);
    console.log(`${way}, ${nameOf(load)}: ${line}`);
    for (const fault of faults) console.log(`  ! ${fault}`);
    broken += faults.length;
  }
}

try {
  for (const endpoint of endpoints) {
    if (ways.includes('core'))
      await check(`core, ${endpoint}`, (load) => measureThroughCore(server.port, endpoint, load));
    if (ways.includes('command'))
      await check(`command, ${endpoint}`, (load) => measureThroughCommand(folder, url, endpoint, load));
  }
  if (ways.includes('managed')) {
    const service = await startMeasuringService(url);
    await check('managed run', service.measure).finally(service.close);
  }
} finally {
  await server.close();
  await rm(folder, { recursive: true });
}
console.log(`${broken} faults`);
process.exitCode = broken === 0 ? 0 : 1;
