// Generates packages/api/src/generated from a file of facts about the API of one minor release.
//   node scripts/generate-api.mjs --facts FILE --out DIR
// Everything in DIR is replaced; the same facts always give the same bytes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateApi } from './generate-api/generate-api.ts';

const { values } = parseArgs({ options: { facts: { type: 'string' }, out: { type: 'string' } } });
if (values.facts === undefined || values.out === undefined) {
  process.stderr.write('usage: node scripts/generate-api.mjs --facts FILE --out DIR\n');
  process.exit(2);
}
const files = generateApi(JSON.parse(readFileSync(values.facts, 'utf8')));
rmSync(values.out, { recursive: true, force: true });
for (const [path, text] of files) {
  const file = join(values.out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
