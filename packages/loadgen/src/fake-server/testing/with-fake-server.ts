import { startFakeServer } from '../fake-server.ts';
import type { FakeOptions } from '../options.ts';

/** Runs something against a fake server on a separate port. */
export async function withFakeServer<Result>(
  options: Partial<FakeOptions>,
  run: (port: number) => Promise<Result>,
  test: { isSilent?: boolean } = {},
): Promise<Result> {
  const server = await startFakeServer(options, test);
  try {
    return await run(server.port);
  } finally {
    await server.close();
  }
}
