import { startFakeServer } from './fake-server.ts';
import { describeOptions, parseOptions, plausibleOptions } from './options.ts';

try {
  const args = process.argv.slice(2);
  if (args.includes('--help'))
    console.log(`A fake OpenAI-style server on the loopback address. Options:\n${describeOptions()}`);
  else {
    const options = parseOptions(args, plausibleOptions);
    const server = await startFakeServer(options);
    console.log(`fake endpoint: http://127.0.0.1:${server.port}/v1 serves ${options.model}`);
    const stop = () => void server.close().then(() => process.exit(0));
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
