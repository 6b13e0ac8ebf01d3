import { readOptions } from '../options.ts';
import { createService, Refused } from '../service.ts';
import { chooseService } from '../settings.ts';
import { exitCodes, Failure, type World } from '../world.ts';
import { sendFile, UnreadableFile } from './send-file.ts';

/** `inferboard submit FILE... | -`: sends files as they are, and prints five lines for each, the last with its link. */
export async function submit(args: readonly string[], world: World): Promise<number> {
  const options = readOptions(args, { 'dry-run': 'switch', 'no-input': 'switch' }, true);
  const { words: files, json } = options;
  if (files.length === 0) throw new Failure(exitCodes.usage, 'Name the files to submit, or "-" for standard input.');
  const service = createService(await chooseService(world, options));
  const query = { ...(!json && { format: 'text' }), ...(options.switches.has('dry-run') && { dry_run: 'true' }) };
  const sending = { given: { ...options.facts }, query, mayAsk: !json && !options.switches.has('no-input') };
  let exitCode: number = exitCodes.ok;
  for (const [index, file] of files.entries()) {
    if (files.length > 1 && !json) world.print(`${index > 0 ? '\n' : ''}${file}`);
    try {
      world.print((await sendFile(service, world, file, sending)).trimEnd());
    } catch (error) {
      // A file that is rejected or cannot be read does not keep the others from being sent.
      const isRefused = error instanceof Refused && error.isAboutFile;
      if (!isRefused && !(error instanceof UnreadableFile)) throw error;
      exitCode = Math.max(exitCode, error.exitCode);
      if (json && isRefused) world.print(JSON.stringify(error.problem));
      else world.say(error.message);
    }
  }
  return exitCode;
}
