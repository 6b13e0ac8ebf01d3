// Mends two faults of the database driver where it is installed; says why in docs/decisions/0029-mended-driver.md.
// Plain JavaScript without packages: it runs after every install, and where an image is built.
//   node scripts/mend-driver.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = '3.4.9';
const driver = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules', 'postgres');
const isCheck = process.argv.includes('--check');

const mends = [
  {
    // A queue whose first one leaves while others stay keeps the place of each that ever left, and looks through all of them
    // whenever a connection changes its queue.
    file: 'src/queue.js',
    from: `      } else {
        xs[index - 1] = undefined
      }`,
    to: `      } else {
        xs[index - 1] = undefined
        if (index >= 32 && index * 2 >= xs.length) {
          xs = xs.slice(index)
          index = 0
        }
      }`,
  },
  // V8 takes a function that is written into a property for one that stays, and keeps all it reaches, such as rows, until
  // everything is collected. One that has a name first is let go of with its statement, or its transaction.
  {
    file: 'src/query.js',
    from: `    this.resolve = x => (this.active = false, resolve(x))
    this.reject = x => (this.active = false, reject(x))

    this.active = false
    this.cancelled`,
    to: `    const succeed = x => (this.active = false, resolve(x))
    const fail = x => (this.active = false, reject(x))
    this.resolve = succeed
    this.reject = fail

    this.active = false
    this.cancelled`,
  },
  {
    file: 'src/index.js',
    from: `      sql.prepare = x => prepare = x.replace(/[^a-z0-9$-_. ]/gi)
`,
    to: `      const prepareAs = x => prepare = x.replace(/[^a-z0-9$-_. ]/gi)
      sql.prepare = prepareAs
`,
  },
  {
    file: 'src/index.js',
    from: `      c.reserved = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)
`,
    to: `      const next = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)
      c.reserved = next
`,
  },
];

const installed = JSON.parse(readFileSync(join(driver, 'package.json'), 'utf8')).version;
if (installed !== version) {
  console.error(
    `The driver is ${installed}; what scripts/mend-driver.mjs mends was read in ${version}. Read it again.`,
  );
  process.exit(1);
}
for (const { file, from, to } of mends) {
  const path = join(driver, file);
  const text = readFileSync(path, 'utf8');
  if (text.includes(to)) continue;
  if (isCheck || text.split(from).length !== 2) {
    console.error(`postgres/${file} is not as it should be: install again (npm ci).`);
    process.exit(1);
  }
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
