import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { compactedError, KeyValueError } from '../../key-value-error.js';
import { createMemoryStore } from '../../memory/create-memory-store.js';
import { newKeyNotFoundError } from '../../storage-error.js';
import { newWidgetContext } from '../../testing/widget-cache.js';
import { isOrderlyEnd, storeWatchFailure, watchFailure } from './watch-failure.js';

const store = createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 });
const { kind } = newWidgetContext({ store });
const status = (error: unknown, failure = watchFailure) => failure(error, kind, 5).status;

it('is 410 for a version that is gone, in the words of the cache or of the store', () => {
  expect([status(compactedError(9)), status(compactedError(9), storeWatchFailure)]).toMatchObject([
    { code: 410, reason: 'Expired', message: 'too old resource version: 5 (9)' },
    { code: 410, reason: 'Expired', message: 'The resourceVersion for the provided watch is too old.' },
  ]);
});

it.each([
  ['a store that is away', new KeyValueError('Unavailable', 'away'), { code: 500, message: 'away' }],
  ['a key', newKeyNotFoundError('k'), { code: 404, message: 'widgets.example.com "" not found' }],
  ['a status', newServiceUnavailable('away'), { code: 503, message: 'away' }],
  ['a bug', new Error('a bug'), { code: 500, message: 'Internal error occurred: a bug' }],
])('is that of the storage for %s', (_, error, expected) => {
  for (const failure of [watchFailure, storeWatchFailure]) expect(status(error, failure)).toMatchObject(expected);
});

it('is none for a store that was closed', () => {
  const ends = [new KeyValueError('Closed', 'closed'), new KeyValueError('Unavailable', 'away'), new Error('closed')];
  expect(ends.map(isOrderlyEnd)).toEqual([true, false, false]);
});
