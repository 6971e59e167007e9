import { expect, it } from 'vitest';
import {
  create,
  hasCode,
  listOptions,
  names,
  remove,
  setColor,
  type WithStorage,
  watch,
} from './storage-suite-fixture.js';

/** Namespaces that are prefixes of each other, and names that sort between them. */
const NAMESPACES = ['a', 'a-b', 'a.b', 'ab', 'a0'];

/** Names with other characters than letters, like upstream's names of roles and other cluster objects. */
const NAMES = ['a', 'a.b', 'a-b', 'system:controller:x', 'x@y', 'x%2Fy', 'x y', 'é', '\u{1f600}', 'n'.repeat(253)];

/**
 * Tests of names as keys. Upstream: k8s.io/apiserver/pkg/storage/testing (RunTestListPaging,
 * RunTestWatch…NamespaceScoped…)
 */
export function keyTests(withStorage: WithStorage): void {
  it(
    'separates namespaces of which one is a prefix of the other',
    withStorage(async ({ storage }) => {
      const watches = await Promise.all(
        NAMESPACES.map((namespace) => watch(storage, `${namespace}/`, { resourceVersion: '1' })),
      );
      for (const namespace of NAMESPACES) await create(storage, `${namespace}/x`);
      for (const [i, namespace] of NAMESPACES.entries()) {
        expect(names(await storage.list(`${namespace}/`, listOptions()))).toEqual([`x@${i + 2}`]);
        expect(names(await storage.list('', listOptions({ field: `metadata.namespace=${namespace}` })))).toEqual([
          `x@${i + 2}`,
        ]);
        expect(await watches[i]?.have(1)).toEqual([`ADDED ${namespace}/x@${i + 2}`]);
      }
      await setColor(storage, 'a/x', 'red');
      await remove(storage, 'a-b/x');
      expect(await watches[0]?.have(2)).toEqual(['ADDED a/x@2', 'MODIFIED a/x@7']);
      expect(await watches[1]?.have(2)).toEqual(['ADDED a-b/x@3', 'DELETED a-b/x@8']);
      expect(watches.slice(2).map((recorder) => recorder.lines.length)).toEqual([1, 1, 1]);
    }),
  );

  it(
    'accepts any name, in the order of bytes',
    withStorage(async ({ storage }) => {
      for (const name of NAMES.toReversed()) await create(storage, `ns/${name}`);
      const list = await storage.list('ns/', listOptions());
      const sorted = NAMES.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(list.items.map(({ object }) => object.metadata.name)).toEqual(sorted);
      for (const name of NAMES) {
        expect((await storage.get(`ns/${name}`, {})).object.metadata.name).toBe(name);
        const byName = await storage.list('', listOptions({ field: `metadata.name=${name}` }));
        expect(byName.items.map(({ object }) => object.metadata.name)).toEqual([name]);
      }
      await expect(storage.get('ns/n', {})).rejects.toEqual(hasCode('KeyNotFound'));
    }),
  );

  it(
    'pages one by one to the same list, despite concurrent changes',
    withStorage(async ({ storage }) => {
      for (const name of NAMES) await create(storage, `ns/${name}`);
      const whole = names(await storage.list('ns/', listOptions()));
      const paged: string[] = [];
      let token: string | undefined;
      for (let page = 0; page === 0 || token !== undefined; page++) {
        const list = await storage.list('ns/', listOptions({ limit: 1, ...(token ? { continue: token } : {}) }));
        expect(list.remainingItemCount).toBe(page === NAMES.length - 1 ? undefined : NAMES.length - 1 - page);
        paged.push(...names(list));
        token = list.continue;
        if (page === 1) await remove(storage, 'ns/x y');
        if (page === 2) await create(storage, 'ns/zz');
      }
      expect(paged).toEqual(whole);
    }),
  );
}
