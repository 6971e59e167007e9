// Takes the descriptions of types and fields out of the installed @kubernetes/client-node into
// packages/api/dist/descriptions/<group>-<version>.json. They are built, never committed.
//   node scripts/generate-descriptions.mjs [--out DIR]
// Does nothing when what is there was made of the same package and the same types.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readModelDescriptions } from './generate-api/model-descriptions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'packages/api/dist/descriptions') } },
});
const generated = join(root, 'packages/api/src/generated');
const client = dirname(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')));

const modules = readdirSync(generated, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /^[^/]+\/[^/]+\.ts$/.test(path))
  .sort()
  .map((path) => ({ path: path.slice(0, -'.ts'.length), text: readFileSync(join(generated, path), 'utf8') }));

const hash = createHash('sha256').update(readFileSync(join(client, 'package.json')));
for (const { path, text } of modules) hash.update(path).update(text);
for (const script of ['generate-descriptions.mjs', 'generate-api/model-descriptions.ts'])
  hash.update(readFileSync(join(root, 'scripts', script)));
const stamp = hash.digest('hex');
const stampFile = join(values.out, '.stamp');

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  rmSync(values.out, { recursive: true, force: true });
  mkdirSync(values.out, { recursive: true });
  for (const { path, text } of modules) {
    const descriptions = readModelDescriptions(join(client, 'dist/gen/models'), path, text);
    if (Object.keys(descriptions).length > 0) {
      writeFileSync(join(values.out, `${path.replace('/', '-')}.json`), JSON.stringify(descriptions));
    }
  }
  writeFileSync(stampFile, stamp);
}
