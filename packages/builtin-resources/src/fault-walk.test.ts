import type { VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import type { FullObject } from './testing/fault-walk/full-object.js';
import { fullObjects } from './testing/fault-walk/full-objects/index.js';
import { outcomesOf } from './testing/fault-walk/outcomes.js';
import { type ServedKind, servedKinds } from './testing/recorded-kinds/served-kinds.js';

const kinds = servedKinds();

const groups = [...Map.groupBy(fullObjects, ({ apiVersion, kind, name = 'a' }) => `${apiVersion}/${kind} ${name}`)].map(
  ([title, group]) => ({ title, group }),
);

it('every kind that clients create has an object here', () => {
  const walked = new Set(fullObjects.map((full) => servedKind(full).definition));
  const created = [...kinds.values()]
    .map(({ definition }) => definition)
    .filter(({ verbs }) => verbs.includes('create'));
  expect([...new Set(created)].filter((one) => !walked.has(one)).map(({ resource }) => resource)).toEqual([]);
});

function servedKind({ apiVersion, kind }: FullObject): ServedKind {
  const served = kinds.get(`${apiVersion}/${kind}`);
  if (served === undefined) throw new Error(`${apiVersion}/${kind} is not served`);
  return served;
}

function contextOf({ definition }: ServedKind, { name = 'a' }: FullObject): VerbContext {
  const namespace = definition.scope === 'Namespaced' ? 'ns' : '';
  const requestInfo: VerbContext['requestInfo'] = {
    isResourceRequest: true,
    path: '/',
    verb: 'create',
    apiPrefix: 'apis',
    apiGroup: definition.group,
    apiVersion: 'v1',
    namespace,
    resource: definition.resource,
    subresource: '',
    name,
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
  // Policies are refused without a user. Others ask a server about the rights of theirs.
  const isPolicy = definition.group === 'admissionregistration.k8s.io';
  const user = isPolicy ? { name: 'admin', groups: ['system:masters'], extra: {} } : undefined;
  return { ...testContext({ namespace, user }), requestInfo };
}

/**
 * The recorded faults are our own; `vitest -u` writes them. recorded-kinds.test.ts compares the rules of core kinds
 * with upstream's packages. A changed line of the others needs a look at upstream's validation.
 */
it.each(groups)('$title', async ({ title, group }) => {
  const texts: string[] = [];
  for (const full of group) {
    const served = servedKind(full);
    const outcomes = await outcomesOf(served, full, contextOf(served, full));
    texts.push(full.title === undefined ? outcomes : `= ${full.title}\n${outcomes}`);
  }
  const file = title.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
  await expect(texts.join('')).toMatchFileSnapshot(`../testdata/faults/${file}.txt`);
});
