import { expect, it } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { QuotaQueue } from './quota-queue.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('charges the requests that come during a batch in the next one, by namespace', async () => {
  const batches: string[] = [];
  const ends: (() => void)[] = [];
  const queue = new QuotaQueue(async (namespace, waiters) => {
    batches.push(`${namespace}: ${waiters.map(({ attributes }) => attributes.name).join(' ')}`);
    await new Promise<void>((resolve) => ends.push(resolve));
    for (const { settle } of waiters) settle();
  });
  const add = (name: string, namespace = 'ns') => queue.add(testAttributes({ name, namespace }));
  const all = [add('a'), add('b'), add('c'), add('d', 'other')];
  await turn();
  expect(batches).toEqual(['ns: a', 'other: d']);
  for (const end of ends.splice(0)) end();
  await turn();
  for (const end of ends.splice(0)) end();
  await Promise.all(all);
  await turn();
  const late = add('e');
  await turn();
  for (const end of ends.splice(0)) end();
  await late;
  expect(batches).toEqual(['ns: a', 'other: d', 'ns: b c', 'ns: e']);
});

it('refuses all requests of a batch that throws, and goes on', async () => {
  const failure = new Error('no');
  const queue = new QuotaQueue(async (_namespace, waiters) => {
    for (const { attributes, settle } of waiters) {
      if (attributes.name === 'bad') throw failure;
      settle(attributes.name === 'refused' ? new Error('refused') : undefined);
    }
  });
  const found = await Promise.allSettled(['bad', 'good', 'refused'].map((name) => queue.add(testAttributes({ name }))));
  expect(found.map((one) => (one.status === 'fulfilled' ? 'charged' : one.reason.message))).toEqual([
    'no',
    'charged',
    'refused',
  ]);
});
