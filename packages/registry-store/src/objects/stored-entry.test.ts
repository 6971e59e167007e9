import { everythingSelector, parseFieldSelector } from '@apiserver/apimachinery/selectors';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { ManualClock } from '../testing/manual-clock.js';
import { widget } from '../testing/widget.js';
import { newWidgetCache } from '../testing/widget-cache.js';
import { DecodedObjects } from './decoded-objects.js';
import type { StoredEntry } from './stored-entry.js';

it('keeps selectable fields no longer than the decoded objects they come from', async () => {
  const clock = new ManualClock();
  await using store = createMemoryStore({ clock, compactionInterval: 0 });
  const decoded = new DecodedObjects(1000);
  await using cache = newWidgetCache({ store, clock, decoded });
  for (let i = 0; i < 50; i++) {
    const name = `w${i}`;
    await cache.create(`ns/${name}`, widget({ name, namespace: 'ns', uid: name }, { spec: { color: 'red' } }));
  }
  const everything = { labelSelector: everythingSelector, fieldSelector: parseFieldSelector('') };
  const { items } = await cache.list('', everything);
  const fields = () => items.map((item) => (item as StoredEntry<never>).fields);
  const before = fields();
  expect(decoded.bytes).toBeLessThanOrEqual(1000);
  const kept = fields().filter((now, i) => now === before[i]);
  expect([kept.length < 10, fields()]).toEqual([true, before]);
});
