import type { Event } from '@apiserver/api/core/v1';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { eventColumns } from './columns.js';

it('trims what Go takes for white space', () => {
  const event: Event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: {},
    source: {},
    message: '\u0085 text\ufeff\n',
  };
  expect(eventColumns.find(({ name }) => name === 'Message')?.cell(event, rowTime(0))).toBe('text\ufeff');
});
