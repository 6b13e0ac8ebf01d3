import type { CatalogueItem } from '../../../lib/api.ts';

/** A supported tool, with the commands that produce and send its output. */
export interface ToolCommand {
  id: string;
  name: string;
  recognises: string;
  /** The command that produces the output, from the tool's adapter. */
  made: string;
  /** The command that sends it. If the tool prints its output, one line does both. */
  sent: string;
}

const textOf = (item: CatalogueItem, field: string): string => {
  const value = item[field];
  return typeof value === 'string' ? value : '';
};

/** Placeholder for a file name. It has no blanks, because a shell must treat it as one word. */
const resultFile = 'RESULT_FILE';

/** The output file that a command names; a placeholder otherwise. */
function fileOf(command: string): string {
  const names = command.match(/[\w./-]+\.(?:jsonl?|csv|txt|ya?ml)(?![\w*])/g) ?? [];
  return names.at(-1) ?? resultFile;
}

function curlOf(origin: string, kind: string, data: string): string {
  // A model's answers hardly depend on the GPU.
  const ofModel = kind === 'quality' ? 'quantization=QUANTIZATION' : 'gpu=GPU&quantization=QUANTIZATION';
  const facts = kind === 'kernel' ? 'gpu=GPU' : ofModel;
  return `curl -sS --data-binary ${data} -H "Authorization: Bearer $KEY" \\\n  "${origin}/v1/submissions?${facts}&format=text"`;
}

/** The API's tools, each with the commands that submit its output. `origin`: base URL of the API. */
export function toToolCommands(items: readonly CatalogueItem[], origin: string): ToolCommand[] {
  return items.map((item) => {
    const command = textOf(item, 'command');
    const kind = textOf(item, 'kind');
    const printing = /^(.*\S)\s*\| tee result\.txt$/.exec(command)?.[1];
    return {
      id: item.id,
      name: item.name,
      recognises: textOf(item, 'recognises'),
      made: command,
      sent:
        printing === undefined
          ? curlOf(origin, kind, `@${fileOf(command)}`)
          : `${printing} | tee /dev/tty |\n  ${curlOf(origin, kind, '@-')}`,
    };
  });
}
