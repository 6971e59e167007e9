import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../memory/create-memory-store.js';
import { make } from '../../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../../testing/widget.js';
import { newWidgetContext } from '../../testing/widget-cache.js';
import { rereadObject } from './reread-object.js';

const context = newWidgetContext({ store: createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 }) });

function given(resourceVersion?: string): Widget {
  const object = make('ns/a', { spec: { size: 3, color: 'red' } });
  const metadata = resourceVersion === undefined ? object.metadata : { ...object.metadata, resourceVersion };
  return { ...object, metadata, lost: 'in storage' };
}

it.each([
  ['a usual object', {}],
  ['a large object', { isLarge: true }],
])('reads %s as if it had been stored, with its own version', async (_, options) => {
  for (const version of [undefined, '77']) {
    const { lost: _lost, ...kept } = given(version);
    const reread = await rereadObject(context, given(version), options);
    expect([reread, 'resourceVersion' in reread.metadata]).toEqual([kept, version !== undefined]);
  }
});

it('converts it to its form at rest and back', async () => {
  const atRest: string[] = [];
  const conversion = {
    toStored: async (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString().replace('red', 'pink')),
    fromStored: (bytes: Uint8Array) => {
      atRest.push(Buffer.from(bytes).toString());
      return { bytes, stale: false };
    },
  };
  const reread = await rereadObject({ ...context, conversion }, given());
  expect([reread.spec, atRest.length, atRest[0]?.includes('"color":"pink"')]).toEqual([
    { size: 3, color: 'pink' },
    ...[1, true],
  ]);
});
