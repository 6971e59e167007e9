import type { DeviceTaintRule, DeviceTaintRuleSpec } from '@apiserver/api/resource/v1alpha3';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { deviceTaintRules } from './index.js';

const BEFORE = '2026-01-01T00:00:00Z';
const NOW = '2026-01-02T03:04:05Z';
const context = testContext({ namespace: '' });
const definition = deviceTaintRules({ now: () => Date.parse(NOW) + 999 });
const { strategy, columns, versions } = definition;
const status = definition.subresources['status']?.strategy;

const TAINT = { key: 'example.com/a', value: 'b', effect: 'NoSchedule', timeAdded: BEFORE };

function rule(spec: Partial<DeviceTaintRuleSpec> = {}, status: DeviceTaintRule['status'] = {}): DeviceTaintRule {
  return {
    apiVersion: 'resource.k8s.io/v1alpha3',
    kind: 'DeviceTaintRule',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    spec: structuredClone({ taint: TAINT, ...spec }),
    status: structuredClone(status),
  };
}

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('a new rule', () => {
  it.each<[string, Partial<DeviceTaintRuleSpec>, string]>([
    ['without a selector', {}, ''],
    ['for all devices', { deviceSelector: {} }, ''],
    ['for one device', { deviceSelector: { driver: 'D.example.com', pool: 'a/b', device: 'd' } }, ''],
    [
      'with mistakes everywhere',
      {
        deviceSelector: { driver: '', pool: '', device: '' },
        taint: { key: 'a', value: '-', effect: 'Near' },
      },
      `[spec.deviceSelector.driver: Required value, spec.deviceSelector.pool: Required value, spec.deviceSelector.device: Invalid value: "": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), spec.taint.value: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), spec.taint.effect: Unsupported value: "Near": supported values: "NoExecute", "NoSchedule", "None"]`,
    ],
    [
      'of an invalid pool',
      { deviceSelector: { pool: 'a//b' } },
      `spec.deviceSelector.pool: Invalid value: "": ${SUBDOMAIN}`,
    ],
    ['without an effect', { taint: { key: 'a', effect: '' } }, 'spec.taint.effect: Required value'],
  ])('%s', (_what, spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, rule(spec)))).toBe(message);
  });

  it('has no status, and the first generation', () => {
    const made = rule({}, { conditions: [] });
    void strategy.prepareForCreate?.(context, made);
    expect([made.status, made.metadata.generation]).toEqual([{}, 1]);
  });

  it.each(versions.map(({ version }) => version))('of %s has the time of its creation', (name) => {
    const made = rule({ taint: { key: 'a', effect: 'None' } });
    versions.find(({ version }) => version === name)?.applyDefaults?.(made);
    expect(made.spec.taint.timeAdded).toBe(NOW);
  });
});

describe('an update', () => {
  it.each<[string, Partial<typeof TAINT>, string]>([
    ['of the effect', { effect: 'NoExecute' }, NOW],
    ['of the effect and the time', { effect: 'NoExecute', timeAdded: '2026-01-01T12:00:00Z' }, '2026-01-01T12:00:00Z'],
    ['of the key', { key: 'other' }, BEFORE],
    ['of the time', { timeAdded: '2026-01-01T12:00:00Z' }, '2026-01-01T12:00:00Z'],
  ])('%s', (_what, changes, time) => {
    const old = rule({}, { conditions: [] });
    old.metadata.generation = 3;
    const changed = rule({ taint: { ...TAINT, ...changes } });
    void strategy.prepareForUpdate?.(context, changed, old);
    expect([changed.spec.taint.timeAdded, changed.metadata.generation, changed.status]).toEqual([time, 4, old.status]);
  });

  it('keeps the generation of an unchanged spec', () => {
    const changed = rule();
    void strategy.prepareForUpdate?.(context, changed, rule());
    expect(changed.metadata.generation).toBeUndefined();
  });

  it('keeps a stored effect that is unknown', () => {
    const old = rule({ taint: { ...TAINT, effect: 'Future' } });
    const errors = (changed: DeviceTaintRule) => aggregateFieldErrors(strategy.validateUpdate(context, changed, old));
    expect(errors(rule({ taint: { ...TAINT, key: 'b', effect: 'Future' } }))).toBe('');
    expect(errors(rule({ taint: { ...TAINT, effect: 'Near' } }))).toBe(
      'spec.taint.effect: Unsupported value: "Near": supported values: "NoExecute", "NoSchedule", "None"',
    );
  });
});

describe('the status', () => {
  const conditions = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      type: `C${i}`,
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: NOW,
    }));
  const errors = (changed: DeviceTaintRule) =>
    aggregateFieldErrors(status?.validateUpdate(context, changed, rule()) ?? []);

  it('has at most eight conditions', () => {
    expect(errors(rule({}, { conditions: conditions(8) }))).toBe('');
    const odd = { ...conditions(9)[0], type: 'C1', status: '?' } as ReturnType<typeof conditions>[number];
    expect(errors(rule({}, { conditions: [...conditions(8), odd] }))).toBe(
      '[status.conditions[8].type: Duplicate value: "C1", status.conditions[8].status: Unsupported value: "?": supported values: "False", "True", "Unknown", status.conditions: Too many: 9: must have at most 8 items]',
    );
  });

  it('changes alone', () => {
    const changed = rule({ taint: { ...TAINT, key: 'other' } }, { conditions: conditions(1) });
    changed.metadata.labels = { a: 'b' };
    void status?.prepareForUpdate?.(context, changed, rule());
    expect(changed).toEqual(rule({}, { conditions: conditions(1) }));
  });
});

it('is stored as v1alpha3, which the release before reads', () => {
  expect([definition.storageVersion, versions.map(({ version }) => version)]).toEqual([
    'v1alpha3',
    ['v1beta2', 'v1alpha3'],
  ]);
});

it('shows its taint', () => {
  const cells = (object: DeviceTaintRule) => columns.map((column) => column.cell(object, rowTime(NOW)));
  expect([cells(rule()), cells(rule({ taint: { key: 'a', effect: 'None' } }))]).toEqual([
    ['a', 'example.com/a', 'b', 'NoSchedule', '27h', '<unknown>'],
    ['a', 'a', '', 'None', '', '<unknown>'],
  ]);
});
