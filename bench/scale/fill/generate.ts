// Creates a data directory of the embedded Postgres with millions of results:
// npm run bench:generate -- --results 10000000 --systems 200000 --dir DIR
import { readWish } from '../arguments.ts';
import { build } from './build.ts';

try {
  const wish = readWish(process.argv.slice(2));
  await build(wish, (line) => console.log(line));
  console.log(`DATA_DIR=${wish.dir} holds ${wish.results} results of ${wish.systems} systems`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
