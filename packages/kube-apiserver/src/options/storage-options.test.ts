import { FlagSet } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { StorageOptions } from './storage-options.js';

const FORMAT =
  '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';

const options = (fields: Partial<StorageOptions>) => Object.assign(new StorageOptions(), fields);

describe('StorageOptions', () => {
  it.each([
    [{}, []],
    [{ mediaType: 'application/yaml', serversOverrides: ['/events#http://a:1;http://b:2'] }, []],
    [
      { mediaType: 'text/xml' },
      [
        '--storage-media-type "text/xml" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf, application/yaml',
      ],
    ],
    [{ serversOverrides: ['events#http://a:1'] }, [FORMAT]],
    [{ serversOverrides: ['/events', '/events#', 'a/b/c#http://a:1'] }, [FORMAT, FORMAT, FORMAT]],
  ])('validates %j', (fields, messages) => {
    expect(
      options(fields)
        .validate()
        .map(({ message }) => message),
    ).toEqual(messages);
  });

  it('reads overrides', () => {
    const { overrides } = options({
      serversOverrides: ['/events#http://a:1;http://b:2', 'apps/deployments#http://c:3'],
    });
    expect(overrides).toEqual([
      { group: '', resource: 'events', servers: ['http://a:1', 'http://b:2'] },
      { group: 'apps', resource: 'deployments', servers: ['http://c:3'] },
    ]);
  });

  it('has upstream’s names and defaults', () => {
    const flags = new FlagSet();
    new StorageOptions().addFlags(flags);
    expect(Object.fromEntries(flags.flags().map(({ name, value }) => [name, String(value)]))).toEqual({
      'storage-media-type': '',
      'etcd-servers-overrides': '[]',
      'etcd-compaction-interval': '5m0s',
      'etcd-count-metric-poll-period': '1m0s',
      'etcd-db-metric-poll-interval': '30s',
      'etcd-healthcheck-timeout': '2s',
      'etcd-readycheck-timeout': '2s',
      'lease-reuse-duration-seconds': '60',
      'encryption-provider-config': '',
      'encryption-provider-config-automatic-reload': 'false',
      'delete-collection-workers': '1',
      'enable-garbage-collector': 'true',
      'watch-cache': 'true',
      'default-watch-cache-size': '100',
      'watch-cache-sizes': '[]',
    });
  });
});
