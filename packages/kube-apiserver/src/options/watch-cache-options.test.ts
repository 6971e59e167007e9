import { FlagSet, NamedFlagSets } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { WatchCacheOptions } from './watch-cache-options.js';

const options = (sizes: readonly string[], enabled = true) =>
  Object.assign(new WatchCacheOptions(), { sizes, enabled });

describe('WatchCacheOptions', () => {
  it.each([
    [['pods#100', 'deployments.apps#0'], []],
    [
      ['pods', 'pods#1#2'],
      ['invalid value of watch cache size: pods', 'invalid value of watch cache size: pods#1#2'],
    ],
    [
      ['pods#many', 'pods#'],
      ['invalid size of watch cache size: pods#many', 'invalid size of watch cache size: pods#'],
    ],
    [['pods#-1'], ['watch cache size cannot be negative: pods#-1']],
  ])('validates %j', (sizes, messages) => {
    expect(
      options(sizes)
        .validate()
        .map(({ message }) => message),
    ).toEqual(messages);
    expect(options(sizes, false).validate()).toEqual([]);
  });

  it('takes the cache of a resource away by 0, and by nothing else', () => {
    const sizes = ['pods#0', 'nodes#5', 'roles.rbac.authorization.k8s.io#0', 'events#0', 'events#7'];
    expect(options(sizes).withoutCache).toEqual([
      { group: 'events.k8s.io', resource: 'events' },
      { group: '', resource: 'pods' },
      { group: 'rbac.authorization.k8s.io', resource: 'roles' },
    ]);
  });

  it('leaves events without one unless configured', () => {
    expect(options([]).withoutCache).toEqual([
      { group: '', resource: 'events' },
      { group: 'events.k8s.io', resource: 'events' },
    ]);
    expect(options(['events#100', 'events.events.k8s.io#100']).withoutCache).toEqual([]);
  });

  it('has upstream’s names and defaults', () => {
    const flags = new FlagSet();
    new WatchCacheOptions().addFlags(flags);
    expect(flags.flags().map(({ name, value }) => [name, String(value)])).toEqual([
      ['default-watch-cache-size', '100'],
      ['watch-cache', 'true'],
      ['watch-cache-sizes', '[]'],
    ]);
  });

  it('reports that the size of caches, which has no effect, is deprecated', () => {
    const sets = new NamedFlagSets();
    new WatchCacheOptions().addFlags(sets.section('etcd'));
    expect(sets.parse(['--default-watch-cache-size=0']).deprecations).toEqual([
      'Flag --default-watch-cache-size has been deprecated, watch caches are sized automatically and this flag will be removed in a future version',
    ]);
  });
});
