import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import {
  byWebhook,
  content,
  define,
  expected,
  fixture,
  type Json,
  merge,
  pathOf,
  send,
  storedObject,
  useConversionServer,
} from '../testing/conversion-server.js';
import { multiVersionObject, VERSIONS } from '../testing/multi-version.js';

useConversionServer({ uncached: () => true });

it('without a watch cache, objects are converted from the store', async () => {
  await define('v1beta1', byWebhook());
  const gvr = { group: 'stable.example.com', version: 'v1beta2', resource: 'multiversion' };
  const client = fixture.server.loopbackClient.resource<KubeObject>(gvr);
  const watch = await client.watch('ns', { resourceVersion: (await client.list('ns')).resourceVersion });
  const events: unknown[] = [];
  watch.start({
    event: ({ type, object }) =>
      events.push([type, content((object as StoredObject<KubeObject>).object as unknown as Json)]),
    end: () => {},
  });
  for (const version of VERSIONS) await send('POST', pathOf(version), multiVersionObject(version, `as-${version}`));
  await send('PATCH', pathOf('v1alpha1', 'as-v1beta2'), { num: { num2: 1_000_000 } }, merge);
  await send('DELETE', pathOf('v1beta2', 'as-v1beta1'));
  const { json } = await send('GET', pathOf('v1beta2'));
  expect([json['items'].map(content), content((await storedObject('as-v1beta2')) ?? {})]).toEqual([
    [expected('v1beta2'), expected('v1beta2')],
    expected('v1beta1'),
  ]);
  // The patch changes nothing.
  const types = ['ADDED', 'ADDED', 'ADDED', 'DELETED'];
  await expect.poll(() => events).toEqual(types.map((type) => [type, expected('v1beta2')]));
  watch.close();
});
