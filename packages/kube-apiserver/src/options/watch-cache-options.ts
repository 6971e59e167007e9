import type { GroupResource } from '@apiserver/apimachinery';
import { type FlagSet, field } from '@apiserver/component-base/flags';

/** Resources without a cache by default. Upstream: kubeapiserver.DefaultWatchCacheSizes */
const WITHOUT_CACHE: readonly GroupResource[] = [
  { group: '', resource: 'events' },
  { group: 'events.k8s.io', resource: 'events' },
];

/** The resources with a watch cache. Upstream: k8s.io/apiserver/pkg/server/options.EtcdOptions */
export class WatchCacheOptions {
  /** `--watch-cache` */
  enabled = true;
  /** `--default-watch-cache-size`: ignored, because caches choose their size; upstream's since 1.20. */
  defaultSize = 100;
  /** `--watch-cache-sizes` */
  sizes: readonly string[] = [];

  addFlags(flags: FlagSet): void {
    flags.bool('watch-cache', field(this, 'enabled'), 'Serve reads and watches from memory.');
    flags.int('default-watch-cache-size', field(this, 'defaultSize'), 'Without effect, as upstream.', {
      deprecated: 'watch caches are sized automatically and this flag will be removed in a future version',
    });
    flags.stringSlice(
      'watch-cache-sizes',
      field(this, 'sizes'),
      'Watch caches of built-in resources, each as resource[.group]#size. 0 disables the cache, another number enables it; by default only events have none. Caches choose their size themselves.',
    );
  }

  validate(): readonly Error[] {
    if (!this.enabled) return [];
    return this.sizes.flatMap((text) => {
      const parsed = parseSize(text);
      return typeof parsed === 'string' ? [new Error(parsed)] : [];
    });
  }

  /** Resources without a cache. Call `validate` first. */
  get withoutCache(): readonly GroupResource[] {
    const sizes = this.sizes.map(parseSize).filter((parsed) => typeof parsed !== 'string');
    const all = [...WITHOUT_CACHE.map((resource) => ({ ...resource, size: 0 })), ...sizes];
    const last = new Map(all.map((one) => [`${one.resource}.${one.group}`, one]));
    return [...last.values()].filter(({ size }) => size === 0).map(({ group, resource }) => ({ group, resource }));
  }
}

/** Returns the error in upstream's words. Upstream: ParseWatchCacheSizes */
function parseSize(text: string): (GroupResource & { readonly size: number }) | string {
  const [name = '', size, ...more] = text.split('#');
  if (size === undefined || more.length > 0) return `invalid value of watch cache size: ${text}`;
  if (!/^[+-]?\d+$/.test(size)) return `invalid size of watch cache size: ${text}`;
  if (Number(size) < 0) return `watch cache size cannot be negative: ${text}`;
  const dot = name.indexOf('.');
  const [resource, group] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
  return { group, resource, size: Number(size) };
}
