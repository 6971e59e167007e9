import type { ServiceAccount } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { serviceAccountDeclaration as serviceAccounts } from './index.js';

const context = testContext();
const { strategy } = serviceAccounts;

function account(fields: Partial<ServiceAccount> = {}, annotations = {}): ServiceAccount {
  const metadata = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', annotations };
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata, ...fields };
}

it('keeps only the names in references to secrets', async () => {
  const draft = account({ secrets: [{ kind: 'Secret', namespace: 'other', name: 's' }, {}] });
  await strategy.prepareForCreate?.(context, draft);
  expect(draft.secrets).toEqual([{ name: 's' }, {}]);
  const updated = account({ secrets: [{ kind: 'Secret', name: 't' }] });
  await strategy.prepareForUpdate?.(context, updated, draft);
  expect(updated.secrets).toEqual([{ name: 't' }]);
});

it('requires a domain name', () => {
  const named = account({ metadata: { name: 'A', namespace: 'ns' } });
  expect(aggregateFieldErrors(strategy.validate(context, named))).toMatch(
    /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist/,
  );
  expect(strategy.validateUpdate(context, account(), account())).toEqual([]);
});

it('warns if the annotation newly restricts secrets', () => {
  const restricted = account({}, { 'kubernetes.io/enforce-mountable-secrets': 'false' });
  const warning = [
    'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
  ];
  expect([
    strategy.warningsOnCreate?.(context, restricted),
    strategy.warningsOnUpdate?.(context, restricted, account()),
    strategy.warningsOnUpdate?.(context, restricted, restricted),
    strategy.warningsOnCreate?.(context, account()),
  ]).toEqual([warning, warning, [], []]);
});

it('shows name and age, but not the number of secrets', () => {
  const cells = serviceAccounts.columns.map((column) => [
    column.name,
    column.cell(account({ secrets: [{}] }), rowTime(0)),
  ]);
  expect(cells).toEqual([
    ['Name', 'a'],
    ['Age', '<unknown>'],
  ]);
});
