import { describe, expect, it } from 'vitest';
import { DataOptions } from './data-options.js';

const server = 'http://127.0.0.1:2379';

describe('DataOptions', () => {
  it('keeps keys, certificates and kubeconfig below the data folder', () => {
    const options = Object.assign(new DataOptions(), { dataDirectory: '/data' });
    expect(options.validate()).toEqual([]);
    expect([options.kubeconfigPath, options.certificateDirectory]).toEqual(['/data/admin.kubeconfig', '/data/pki']);
  });

  it.each([
    ['/registry', '/registry'],
    ['abc', '/abc'],
    ['/abc/', '/abc'],
    ['a//b/../c', '/a/c'],
    ['/', ''],
    ['', ''],
  ])('keeps everything of --etcd-prefix=%s below %s', (prefix, root) => {
    expect(Object.assign(new DataOptions(), { prefix }).keyRoot).toBe(root);
  });

  it.each<[Partial<DataOptions>, readonly string[]]>([
    [{}, []],
    [{ backend: 'memory' }, []],
    [{ etcdServers: [server] }, []],
    [{ etcdServers: [server, 'https://[::1]:2379'], backend: 'etcd3' }, []],
    [{ backend: 'etcd3' }, ['--etcd-servers must be specified']],
    [{ etcdServers: [server], backend: 'lmdb' }, ['--etcd-servers: has no meaning with --storage-backend=lmdb']],
    [
      { etcdServers: ['127.0.0.1:2379'] },
      ['--etcd-servers: "127.0.0.1:2379" is not of the form http://host:port or https://host:port'],
    ],
    [
      { backend: 'paper' },
      ["--storage-backend invalid, allowed values: etcd3, lmdb, memory. If not specified, it will default to 'lmdb'"],
    ],
  ])('%j', (fields, messages) => {
    const options = Object.assign(new DataOptions(), fields);
    expect(options.validate().map((error) => error.message)).toEqual(messages);
  });
});
