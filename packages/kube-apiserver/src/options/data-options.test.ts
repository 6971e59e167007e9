import { describe, expect, it } from 'vitest';
import { DataOptions } from './data-options.js';

describe('DataOptions', () => {
  it('keeps everything below the data folder', () => {
    const options = Object.assign(new DataOptions(), { dataDirectory: '/data' });
    expect(options.validate()).toEqual([]);
    expect([options.databaseDirectory, options.kubeconfigPath, options.certificateDirectory]).toEqual([
      '/data/db',
      '/data/admin.kubeconfig',
      '/data/pki',
    ]);
  });

  it.each<[Partial<DataOptions>, readonly string[]]>([
    [{ backend: 'memory' }, []],
    [{ dataDirectory: '' }, ['--data-dir must not be empty']],
    [{ backend: 'etcd3' }, ['--storage-backend: the etcd3 backend is not built yet; use "lmdb" or "memory"']],
    [
      { etcdServers: ['http://127.0.0.1:2379'], backend: 'etcd3' },
      ['--etcd-servers: the etcd backend is not built yet; leave it out to keep objects in --data-dir'],
    ],
    [
      { backend: 'paper' },
      ["--storage-backend invalid, allowed values: lmdb, memory. If not specified, it will default to 'lmdb'"],
    ],
  ])('%j', (fields, messages) => {
    const options = Object.assign(new DataOptions(), fields);
    expect(options.validate().map((error) => error.message)).toEqual(messages);
  });
});
