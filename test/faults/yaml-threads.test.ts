import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

const FILES = [
  'generic-server/dist/yaml/yaml-worker.js',
  ...['kube-apiserver', 'envtest'].map((name) => `${name}/dist/bundle/yaml-worker.cjs`),
];

// Without this file large YAML would be parsed all the same, on the event loop.
describe('the thread that parses large YAML', () => {
  it.each(FILES)('runs from %s', async (file) => {
    const worker = new Worker(fileURLToPath(new URL(`../../packages/${file}`, import.meta.url)), {
      execArgv: [],
      env: {},
    });
    try {
      expect(await once(worker, 'message')).toEqual(['online']);
      worker.postMessage({ yaml: new TextEncoder().encode('a: [1, b]\na: ~'), maxValues: 10 });
      const [{ text }] = await once(worker, 'message');
      expect({ ...text, json: Buffer.from(text.json).toString() }).toEqual({
        json: '{"a":null}',
        duplicates: 'yaml: unmarshal errors:\n  line 2: key "a" already set in map',
      });
    } finally {
      await worker.terminate();
    }
  });
});
