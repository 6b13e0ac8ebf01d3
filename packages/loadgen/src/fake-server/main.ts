import { startFakeServer } from './fake-server.ts';
import { describeOptions, type FakeOptions, parseOptions } from './options.ts';

const usualPort = 8081;

function readOptions(args: readonly string[]): FakeOptions | null {
  if (args.includes('--help')) return null;
  return parseOptions(args.includes('--port') ? args : ['--port', String(usualPort), ...args]);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null)
    console.log(`A fake OpenAI-style server on the loopback address. Options:\n${describeOptions()}`);
  else {
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
