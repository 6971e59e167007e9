import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@apiserver/apimachinery/clock';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { type Encryption, openEncryption } from '../../encryption/encryption.js';
import { startKmsPlugin } from '../encryption/kms-plugin.js';
import { recordingMetrics } from '../encryption/recording-metrics.js';
import { temporaryDirectory } from '../temporary-directory.js';
import {
  create,
  listOptions,
  names,
  RESOURCE,
  remove,
  setColor,
  type WithStorage,
  watch,
} from './storage-suite-fixture.js';

const FOLDER = '/registry/example.com/widgets/';
const KEYS = { keys: [{ name: 'k', secret: Buffer.alloc(32, 'k').toString('base64') }] };
const HIDDEN = 'nobody-may-read-this';

const PROVIDERS = {
  'k8s:enc:aescbc:v1:k:': () => ({ aescbc: KEYS }),
  'k8s:enc:aesgcm:v1:k:': () => ({ aesgcm: KEYS }),
  'k8s:enc:secretbox:v1:k:': () => ({ secretbox: KEYS }),
  'k8s:enc:kms:v2:p:': (folder: string) => ({
    kms: { apiVersion: 'v2', name: 'p', endpoint: `unix://${folder}/kms.sock` },
  }),
};

/** The tests of storage with a real encryption provider. */
export function encryptionTests(withStorage: WithStorage): void {
  it.each(Object.entries(PROVIDERS))('keeps objects, their history and their events: %s', async (prefix, provider) => {
    using folder = temporaryDirectory();
    await using plugin = await startKmsPlugin(join(folder.path, 'kms.sock'));
    await using encryption = await open(folder.path, provider(folder.path));
    const transformer = encryption.transformerFor(RESOURCE);
    await withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a', { spec: { color: HIDDEN } });
      await create(storage, 'ns/b', { spec: { color: HIDDEN } });
      const recorder = await watch(storage, '', { resourceVersion: '2' });
      await setColor(storage, 'ns/a', `${HIDDEN}-changed`);
      await remove(storage, 'ns/b');
      const events = ['ADDED ns/b@3', 'MODIFIED ns/a@4', 'DELETED ns/b@5'];
      expect(await recorder.have(3)).toEqual(events);
      const exact = { resourceVersion: '3', match: 'Exact' } as const;
      const past = await storage.list('', listOptions(exact));
      expect(names(past)).toEqual(['a@2', 'b@3']);
      expect(past.items.map(({ object }) => object.spec?.color)).toEqual([HIDDEN, HIDDEN]);

      const stored = await store.range({ start: FOLDER, end: `${FOLDER}~`, revision: 3 });
      for (const { value } of stored.kvs) {
        const text = Buffer.from(value).toString('latin1');
        expect([text.startsWith(prefix), text.includes(HIDDEN), text.includes('Widget')]).toEqual([true, false, false]);
      }
      await store.compact(4);
      const late = await watch(storage, '', { resourceVersion: '4' });
      expect(await late.have(1)).toEqual(['DELETED ns/b@5']);
      expect((await storage.get('ns/a', {})).object.spec?.color).toBe(`${HIDDEN}-changed`);
      expect(plugin.count('Decrypt')).toBe(0);
    }, transformer)();
  });

  it('asks a plugin once for the key of many objects from another server', async () => {
    using folder = temporaryDirectory();
    await using plugin = await startKmsPlugin(join(folder.path, 'kms.sock'));
    const provider = PROVIDERS['k8s:enc:kms:v2:p:'](folder.path);
    await using other = await open(folder.path, provider);
    await using encryption = await open(folder.path, provider);
    const theirs = other.transformerFor(RESOURCE);
    await withStorage(async ({ storage, store }) => {
      const json = (name: string) =>
        `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"${name}","namespace":"ns"}}`;
      const put = async (name: string) => {
        const key = `${FOLDER}ns/${name}`;
        await store.commit({
          type: 'put',
          key,
          value: theirs.toStorage(Buffer.from(json(name)), key),
          expectedRevision: 0,
        });
      };
      for (let i = 0; i < 30; i++) await put(`w${i}`);
      plugin.behaviour.delay = 30;
      const recorder = await watch(storage, '', { resourceVersion: '1' });
      const list = storage.list('', listOptions());
      await put('last');
      expect((await list).items.length).toBeGreaterThanOrEqual(30);
      expect((await recorder.have(31)).at(-1)).toBe('ADDED ns/last@32');
      expect((await storage.list('', listOptions())).items).toHaveLength(31);
      expect(plugin.calls.filter((call) => call.startsWith('Decrypt'))).toEqual(['Decrypt key-1']);
    }, encryption.transformerFor(RESOURCE))();
  });
}

async function open(folder: string, provider: object): Promise<Encryption> {
  const file = join(folder, 'encryption.json');
  const resources = [{ resources: [`${RESOURCE.resource}.${RESOURCE.group}`], providers: [provider] }];
  const document = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources };
  writeFileSync(file, JSON.stringify(document));
  const metrics = recordingMetrics();
  return await openEncryption({ file, reload: false, clock: systemClock, logger: silentLogger, metrics });
}
