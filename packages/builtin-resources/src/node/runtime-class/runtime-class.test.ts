import type { RuntimeClass } from '@apiserver/api/node/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { runtimeClasses } from './index.js';

const { strategy, versions, columns } = runtimeClasses;
const context = testContext({ namespace: '' });

const runtimeClass = (changes: Partial<RuntimeClass> = {}): RuntimeClass => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
  handler: 'h',
  ...structuredClone(changes),
});

describe('validation', () => {
  it.each<[string, Partial<RuntimeClass>, string]>([
    ['the smallest', {}, ''],
    [
      'one of everything',
      {
        overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
        scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
      },
      '',
    ],
    ['nothing in it', { overhead: {}, scheduling: {} }, ''],
    ['a handler that is no label', { handler: 'A' }, 'handler: Invalid value: "A": a lowercase RFC 1123 label must'],
    ['a finalizer of Kubernetes', { metadata: { name: 'a', uid: 'u', finalizers: ['kubernetes.io/x'] } }, ''],
    [
      'a cost below zero',
      { overhead: { podFixed: { cpu: '-1' } } },
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'a label',
      { scheduling: { nodeSelector: { '-': 'b' } } },
      'scheduling.nodeSelector: Invalid value: "-": name part must consist of',
    ],
    [
      'a toleration of everything',
      { scheduling: { tolerations: [{}] } },
      'scheduling.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty',
    ],
    [
      'a toleration twice, with other seconds',
      {
        scheduling: {
          tolerations: [
            { key: 'k', operator: 'Exists', effect: 'NoExecute' },
            { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5n },
            { key: 'k', operator: 'Exists', effect: 'NoSchedule' },
          ],
        },
      },
      'scheduling.tolerations[1]: Duplicate value: {"Key":"k","Operator":"Exists","Value":"","Effect":"NoExecute","TolerationSeconds":5}',
    ],
  ])('%s', async (_name, changes, fault) => {
    const found = aggregateFieldErrors(await strategy.validate(context, runtimeClass(changes)));
    if (fault === '') expect(found).toBe('');
    else expect(found).toContain(fault);
  });

  it('requires a handler', async () => {
    const errors = await strategy.validate(context, runtimeClass({ handler: '' }));
    expect(aggregateFieldErrors(errors)).toBe('handler: Required value');
  });

  it('keeps the handler', async () => {
    const changed = await strategy.validateUpdate(context, runtimeClass({ handler: 'other' }), runtimeClass());
    expect(aggregateFieldErrors(changed)).toBe('handler: Invalid value: "other": field is immutable');
  });
});

it('rounds amounts up', () => {
  const made = runtimeClass({ overhead: { podFixed: { cpu: '100u' } } });
  versions[0]?.applyDefaults?.(made);
  expect(made.overhead?.podFixed).toEqual({ cpu: '1m' });
});

it('warns of deprecated labels', () => {
  const old = runtimeClass({ scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux', b: 'c' } } });
  const warning = 'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead';
  expect(strategy.warningsOnCreate?.(context, old)).toEqual([warning]);
  expect(strategy.warningsOnUpdate?.(context, old, old)).toEqual([warning]);
  expect(strategy.warningsOnCreate?.(context, runtimeClass())).toEqual([]);
});

it('shows its handler', () => {
  expect(columns[1]?.cell(runtimeClass(), rowTime(0))).toBe('h');
});
