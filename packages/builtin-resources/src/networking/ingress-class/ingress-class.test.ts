import type { IngressClass, IngressClassParametersReference, IngressClassSpec } from '@apiserver/api/networking/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { ingressClasses } from './index.js';

const context = testContext({ namespace: '' });

function ingressClass(spec: IngressClassSpec = { controller: 'example.com/c' }): IngressClass {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    spec,
  };
}

const DOMAIN_FAULT = 'must be a domain-prefixed path (such as "acme.io/foo")';

it.each([
  ['example.com/c', ''],
  ['example.com/c/d%20', ''],
  [undefined, 'spec.controller: Required value'],
  ['example.com', `spec.controller: Invalid value: "example.com": ${DOMAIN_FAULT}`],
  ['/c', `spec.controller: Invalid value: "/c": ${DOMAIN_FAULT}`],
  ['example.com/', `spec.controller: Invalid value: "example.com/": ${DOMAIN_FAULT}`],
  [
    'example.com/ü',
    `spec.controller: Invalid value: "ü": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
  ],
  [`a/${'x'.repeat(249)}`, 'spec.controller: Too long: may not be more than 250 bytes'],
])('controller %j: %j', (controller, message) => {
  const spec = controller === undefined ? {} : { controller };
  expect(aggregateFieldErrors(ingressClasses.strategy.validate(context, ingressClass(spec)))).toBe(message);
});

it('requires a domain prefix', () => {
  const errors = ingressClasses.strategy.validate(context, ingressClass({ controller: 'A_/c' }));
  expect(errors.map(({ badValue }) => badValue)).toEqual(['A_']);
});

it.each<[Partial<IngressClassParametersReference>, string]>([
  [{ scope: 'Cluster' }, ''],
  [{ scope: 'Namespace', namespace: 'n' }, ''],
  [{}, 'spec.parameters.scope: Required value'],
  [{ scope: 'x' }, 'spec.parameters.scope: Unsupported value: "x": supported values: "Cluster", "Namespace"'],
  [{ scope: 'Namespace' }, "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  [
    { scope: 'Cluster', namespace: 'n' },
    "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
  ],
  [
    { scope: 'Cluster', kind: '', name: 'a/b' },
    `[spec.parameters.kind: Required value, spec.parameters.name: Invalid value: "a/b": may not contain '/']`,
  ],
])('parameters %j: %j', (parameters, message) => {
  const spec = { controller: 'example.com/c', parameters: { kind: 'K', name: 'n', ...parameters } };
  expect(aggregateFieldErrors(ingressClasses.strategy.validate(context, ingressClass(spec)))).toBe(message);
});

it('keeps its controller', () => {
  const changed = ingressClass({ controller: 'example.com/d' });
  const errors = ingressClasses.strategy.validateUpdate(context, changed, ingressClass());
  expect(aggregateFieldErrors(errors)).toBe('spec.controller: Invalid value: "example.com/d": field is immutable');
});

it('defaults the scope of parameters', () => {
  const bare = ingressClass({ parameters: { kind: 'K', name: 'n' } });
  ingressClasses.versions[0]?.applyDefaults?.(bare);
  expect(bare.spec.parameters?.scope).toBe('Cluster');
});

it('shows controller and parameters', () => {
  const cells = (spec: IngressClassSpec) =>
    ingressClasses.columns.map((column) => column.cell(ingressClass(spec), rowTime(0)));
  expect([
    cells({ controller: 'c' }),
    cells({ controller: 'c', parameters: { apiGroup: 'g', kind: 'K', name: 'n' } }),
    cells({ controller: 'c', parameters: { kind: 'K', name: 'n' } }),
  ]).toEqual([
    ['a', 'c', '<none>', '<unknown>'],
    ['a', 'c', 'K.g/n', '<unknown>'],
    ['a', 'c', 'K/n', '<unknown>'],
  ]);
});

it.each([
  ['true', 'a (default)'],
  ['false', 'a'],
])('marks the default class: %s', (value, name) => {
  const marked = ingressClass();
  marked.metadata.annotations = { 'ingressclass.kubernetes.io/is-default-class': value };
  expect(ingressClasses.columns[0]?.cell(marked, rowTime(0))).toBe(name);
});
