// Takes the descriptions of types and fields out of the installed kubernetes-models, and what that does not have out of
// @kubernetes/client-node, into packages/api/dist/descriptions/<group>-<version>.json. They are built, never committed.
//   node scripts/generate-descriptions.mjs [--out DIR]
// Does nothing when what is there was made of the same packages and the same types.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commentedName, readCommentedModels } from './generate-api/commented-models.ts';
import { definitionsOf, readModelDescriptions } from './generate-api/model-descriptions.ts';
import { readParameterDescriptions } from './generate-api/parameter-descriptions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'packages/api/dist/descriptions') } },
});
const generated = join(root, 'packages/api/src/generated');
const client = dirname(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')));
const models = join(root, 'node_modules/kubernetes-models');
const metaModels = join(root, 'node_modules/@kubernetes-models/apimachinery');

/** Definitions that are not made of a schema with fields; kept with those of meta/v1. */
const definitionsOfTheirOwn = [
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  'io.k8s.apimachinery.pkg.runtime.RawExtension',
  'io.k8s.apimachinery.pkg.version.Info',
];

const modules = readdirSync(generated, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /^[^/]+\/[^/]+\.ts$/.test(path))
  .sort()
  .map((path) => ({ path: path.slice(0, -'.ts'.length), text: readFileSync(join(generated, path), 'utf8') }));

const hash = createHash('sha256');
for (const folder of [client, models, metaModels]) hash.update(readFileSync(join(folder, 'package.json')));
for (const { path, text } of modules) hash.update(path).update(text);
for (const script of [
  'generate-descriptions.mjs',
  'generate-api/commented-models.ts',
  'generate-api/parameter-descriptions.ts',
  'generate-api/model-descriptions.ts',
])
  hash.update(readFileSync(join(root, 'scripts', script)));
const stamp = hash.digest('hex');
const stampFile = join(values.out, '.stamp');

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  rmSync(values.out, { recursive: true, force: true });
  mkdirSync(values.out, { recursive: true });
  const commented = readCommentedModels([models, metaModels]);
  const requests = readFileSync(join(client, 'dist/gen/types/ObjectParamAPI.d.ts'), 'utf8');
  for (const { path, text } of modules) {
    const descriptions = readModelDescriptions(join(client, 'dist/gen/models'), path, text);
    Object.assign(descriptions, readParameterDescriptions(requests, path));
    const alone = path === 'meta/v1' ? definitionsOfTheirOwn : [];
    for (const definition of [...definitionsOf(text), ...alone]) {
      const better = commented.get(commentedName(definition));
      if (better !== undefined) descriptions[definition] = { ...descriptions[definition], ...better };
    }
    if (Object.keys(descriptions).length > 0) {
      writeFileSync(join(values.out, `${path.replace('/', '-')}.json`), JSON.stringify(descriptions));
    }
  }
  writeFileSync(stampFile, stamp);
}
